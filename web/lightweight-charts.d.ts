/** The types of the chart library, whose module the service serves beside the pages. */
export * from 'lightweight-charts';
