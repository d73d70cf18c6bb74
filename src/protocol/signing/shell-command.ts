/**
 * Signs its input for bash, as `signatureOf` does, and prints the signature. The key comes from the environment: as an
 * argument, as `openssl dgst -hmac` takes it, every user of the machine could read it in the list of processes. Digest::SHA
 * is part of Perl (https://perldoc.perl.org/Digest::SHA).
 */
export const SIGN_COMMAND =
  "SIGNING_KEY=$SIGNING_KEY perl -MDigest::SHA=hmac_sha256_hex -0777 -ne 'print hmac_sha256_hex($_, $ENV{SIGNING_KEY})'";
