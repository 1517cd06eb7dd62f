# The fixed values of the attestation protocol, computed a second time with nothing but Python's standard library.
# Reads fixed.json beside it, prints the outputs as JSON.
import base64, hashlib, hmac, json, pathlib

inputs = json.loads((pathlib.Path(__file__).parent / "fixed.json").read_text())["inputs"]
b64 = lambda raw: base64.b64encode(raw).decode()
sha = lambda raw: hashlib.sha256(raw).hexdigest()
mac = lambda key, raw: hmac.new(key, raw, hashlib.sha256).digest()
canon = lambda value: json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def derive(key, use):
    extracted = mac(bytes(32), key)
    return mac(extracted, f"countersign.dev/{use}/1".encode() + b"\x01")


key = bytes.fromhex(inputs["key"])
hello = {"request": sha(inputs["helloRequest"].encode()), "uid": inputs["uid"]}
pcrs = {"bank": "sha256", "select": inputs["pcrs"]}
core = {
    "alg": "tpm2-credential", "exp": inputs["exp"], "iat": inputs["iat"], "kid": inputs["kid"],
    "nonce": b64(bytes.fromhex(inputs["nonce"])), "pcrs": pcrs, "protocol": "tpm/1",
}
head = {**core, "ak": inputs["ak"], "ek": inputs["ek"], "cluster": inputs["cluster"], "hello": hello}
fill = lambda spec: b64(bytes.fromhex(spec[1]) * spec[0])
credential = {
    "credentialBlob": fill(inputs["credentialBlobOctets"]),
    "encryptedSecret": fill(inputs["encryptedSecretOctets"]),
}
secret = mac(derive(key, "challenge-secret"), canon(head))
tag = mac(derive(key, "challenge-mac"), canon({**head, **credential}))
annotation = canon({**core, **credential, "mac": b64(tag)})
transcript = canon({
    "challenge": sha(annotation), "cluster": inputs["cluster"], "cri": sha(inputs["cri"].encode()), "hello": hello,
    "intent": "join", "node": inputs["node"], "offered": ["tpm/1"], "protocol": "tpm/1",
    "providerId": inputs["providerId"], "purpose": "client", "signer": inputs["signer"],
    "spki": sha(bytes.fromhex(inputs["spki"])),
})
digest = hashlib.sha256(b"countersign.dev/transcript/1\0" + transcript).digest()
print(json.dumps({
    "secret": secret.hex(),
    "mac": tag.hex(),
    "annotationOctets": len(annotation),
    "challenge": sha(annotation),
    "digest": digest.hex(),
    "extraData": mac(secret, b"countersign.dev/quote/1\0" + digest).hex(),
    "beacon": mac(derive(key, "beacon"), canon({"cluster": inputs["cluster"], "epoch": inputs["epoch"]})).hex(),
    "base32": base64.b32encode(hashlib.sha256(b"abc").digest()).decode().rstrip("=").lower(),
    "akUnique": sha(b"countersign.dev attestation key 1"),
}))
