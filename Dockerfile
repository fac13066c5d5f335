# docker build -t signalbook . && docker run -p 8080:8080 -v signalbook:/data signalbook
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATABASE_URL=sqlite:/data/signalbook.db
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE README.md ./
COPY openapi openapi
# The directory belongs to the user before it becomes a volume, so that a new volume does too.
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
# Not through npm or a shell: SIGTERM must reach the service itself, which then finishes its work.
CMD ["node", "dist/cli/signalbook.js", "start"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/v1/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
