"""The API: actions on runs, signed CBOR messages or JSON with a token. `README.md` beside this is its document."""
