# The program alone in a small image:
#
#   docker build -t sqasp .
#   docker run --rm -v "$PWD:/data" sqasp solve /data/game.gdl
FROM rust:1-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends cmake && rm -rf /var/lib/apt/lists/*
WORKDIR /sqasp
COPY . .
RUN cargo build --release --locked

FROM debian:bookworm-slim
COPY --from=build /sqasp/target/release/sqasp /usr/local/bin/sqasp
COPY --from=build /sqasp/games /usr/local/share/sqasp/games
ENTRYPOINT ["sqasp"]
