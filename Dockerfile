# The service as an image: one image for every role, which the command names.
FROM node:24

WORKDIR /opt/sevengate
COPY package.json package-lock.json .npmrc ./
# Optional packages stay: the compiler of the sources is one of them.
RUN npm ci --ignore-scripts --no-audit --no-fund --omit=dev
COPY . .
# Compiles the sources, which the service itself may not write.
RUN node src/boot/sevengate.mjs --version

# State, such as the operator's token; root owns the code, and the service cannot change it.
RUN mkdir /var/lib/sevengate && chown node:node /var/lib/sevengate
ENV NODE_ENV=production SEVENGATE_HOME=/var/lib/sevengate
VOLUME /var/lib/sevengate
USER node

ENTRYPOINT ["node", "src/boot/sevengate.mjs"]
CMD ["start"]
