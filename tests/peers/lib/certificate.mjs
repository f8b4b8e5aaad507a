// A self-signed certificate for a server in this process. Browsers speak HTTP/2 only over TLS.

import { createHash, generateKeyPairSync, sign } from "node:crypto";

/** A DER element of less than 64 kB. */
function der(tag, ...parts) {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts) => der(0x30, ...parts);
const ECDSA_WITH_SHA256 = sequence(der(0x06, Buffer.from("2a8648ce3d040302", "hex")));
const COMMON_NAME = der(0x06, Buffer.from("550403", "hex"));

/**
 * Self-signed X.509 (RFC 5280, section 4.1): `key` and `cert` in PEM, and the `pin` by which a
 * browser can trust it.
 */
export function certificate() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from("localhost")))));
  const time = (at) =>
    der(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));
  const day = 86_400_000;
  const serial = der(0x02, Buffer.from([1]));
  const valid = sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + 7 * day)));
  const signed = sequence(serial, ECDSA_WITH_SHA256, name, valid, name, spki);
  const signature = der(0x03, Buffer.from([0]), sign("sha256", signed, privateKey));
  const base64 = sequence(signed, ECDSA_WITH_SHA256, signature)
    .toString("base64")
    .replace(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    pin: createHash("sha256").update(spki).digest("base64"),
  };
}
