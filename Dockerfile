FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /out/outheis ./cmd/outheis \
 && mkdir -m 0700 -p /out/human

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/outheis /outheis
COPY --from=build --chown=65532:65532 /out/human /human
USER 65532:65532
ENV OUTHEIS_HUMAN=/human
VOLUME /human
STOPSIGNAL SIGTERM
ENTRYPOINT ["/outheis"]
CMD ["run"]
