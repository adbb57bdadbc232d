# The image of Scrip: the folder that `npm run package` writes, on a base without npm. Runs as a user without rights and needs no writable
# file system (docs/operate/containers.md).
ARG BUILD=docker.io/library/node:24-bookworm-slim
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BUILD} AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund && npm run package

FROM ${BASE}
LABEL org.opencontainers.image.title="Scrip" \
  org.opencontainers.image.description="Self-hosted merchant payments on one exact double-entry ledger in PostgreSQL" \
  org.opencontainers.image.licenses="Apache-2.0"
# The audit log of the command line names the user who ran it.
RUN echo 'scrip:x:10001:10001:Scrip:/nonexistent:/usr/sbin/nologin' >> /etc/passwd && echo 'scrip:x:10001:' >> /etc/group
COPY --from=build /src/dist/scrip /opt/scrip
ENV NODE_ENV=production \
  PATH=/opt/scrip/bin:/usr/local/bin:/usr/bin:/bin \
  HOST=0.0.0.0 \
  INTERNAL_HOST=0.0.0.0 \
  INTERNAL_PORT=9464
WORKDIR /opt/scrip
USER 10001:10001
EXPOSE 8080 9464
# The internal port tells of every kind of process whether it is ready.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.INTERNAL_PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=64", "/opt/scrip/server/src/main.ts"]
CMD ["all"]
