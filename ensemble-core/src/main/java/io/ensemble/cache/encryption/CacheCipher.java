package io.ensemble.cache.encryption;

import io.ensemble.PrivateCacheException;
import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.cache.Payload;
import io.ensemble.envelope.ByteWriter;
import io.ensemble.envelope.EncryptedPayload;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.keyset.Keyset;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encrypts the values, and perhaps the keys, of one cache.
 *
 * <p>A value is bound to the cache's name and birth, to its key, to the stamp of its write and to
 * its expiry time. At another place, or with another stamp or expiry time, the value is not
 * authentic. An encrypted key is bound to the cache's name and birth. Thread-safe.
 *
 * @param cache the cache's name
 * @param birth the birth of the cache
 * @param names whether keys are encrypted
 */
record CacheCipher(String cache, String birth, boolean names, Keyset keyset) {

  /** The first byte of each encrypted key; no encoded key begins with this byte. */
  private static final byte NAME = 4;

  CacheCipher {
    if (names != keyset.namesId().isPresent()) {
      throw new PrivateCacheException(names ? Reason.NO_NAMES_KEY : Reason.NAMES_KEY, cache);
    }
  }

  /** Names keys to readers that must not see them, bound to the cache's name and birth. */
  KeyFingerprints fingerprints() {
    return new KeyFingerprints(keyset.derive(place("ensemble-fingerprint-1", 0).toBytes().array()));
  }

  /** The key under which the value of {@code key} is stored. */
  Bytes stored(Bytes key) {
    if (!names) {
      return key;
    }
    byte[] sealed = keyset.sealName(key.array(), place("ensemble-name-1", 0).toBytes().array());
    ByteWriter out = new ByteWriter(1 + sealed.length);
    out.oneByte(NAME);
    out.bytes(sealed);
    return out.toBytes();
  }

  /** The key whose value is stored under {@code stored}. */
  Bytes key(Bytes stored) {
    if (!names) {
      return stored;
    }
    if (stored.size() == 0 || stored.array()[0] != NAME) {
      throw new PrivateCacheException(Reason.PLAINTEXT, cache);
    }
    byte[] sealed = Arrays.copyOfRange(stored.array(), 1, stored.size());
    return keyset
        .openName(sealed, place("ensemble-name-1", 0).toBytes().array())
        .map(Bytes::of)
        .orElseThrow(() -> new PrivateCacheException(Reason.NOT_AUTHENTIC, cache));
  }

  /** The value of {@code key}, to be encrypted when its write has a stamp. */
  Payload close(Bytes key, Payload plain) {
    return Payload.toSeal(stamp -> sealed(key, plain, stamp), plain.endMicros());
  }

  /** The same value of {@code key}, to be encrypted anew. */
  Payload closeAgain(Bytes key, Payload plain) {
    return Payload.toSeal(
        new Payload.ValueEncryption() {
          @Override
          public Bytes at(Stamp stamp) {
            return sealed(key, plain, stamp);
          }

          @Override
          public boolean isSameValue() {
            return true;
          }
        },
        plain.endMicros());
  }

  private Bytes sealed(Bytes key, Payload plain, Stamp stamp) {
    byte[] bound = bound(key, stamp, plain.endMicros());
    return EncryptedPayload.payload(stamp, keyset.seal(plain.value().array(), bound));
  }

  /**
   * The decrypted value of {@code key}.
   *
   * @throws PrivateCacheException if the stored value is not encrypted or not authentic, or its
   *     encryption key is not in the keyset
   */
  Payload open(Bytes key, Payload stored) {
    EncryptedPayload sealed = sealed(stored);
    if (!keyset.has(sealed.keyId())) {
      throw PrivateCacheException.noSuchKey(cache, sealed.keyId());
    }
    byte[] bound = bound(key, sealed.stamp(), stored.endMicros());
    return keyset
        .open(sealed.ciphertext().array(), bound)
        .map(plain -> new Payload(Bytes.of(plain), stored.endMicros()))
        .orElseThrow(() -> new PrivateCacheException(Reason.NOT_AUTHENTIC, cache));
  }

  /** The envelope of a value, readable without an encryption key. */
  EncryptedPayload sealed(Payload stored) {
    if (!stored.encrypted()) {
      throw new PrivateCacheException(Reason.PLAINTEXT, cache);
    }
    try {
      return EncryptedPayload.of(stored.value());
    } catch (MalformedEnvelopeException strange) {
      throw new PrivateCacheException(Reason.NOT_AUTHENTIC, cache);
    }
  }

  private byte[] bound(Bytes key, Stamp stamp, long endMicros) {
    ByteWriter out = place("ensemble-value-1", key.size() + 48);
    out.sized(key);
    out.eightBytes(stamp.micros());
    out.eightBytes(stamp.writer().high());
    out.eightBytes(stamp.writer().low());
    out.eightBytes(endMicros);
    return out.toBytes().array();
  }

  private ByteWriter place(String use, int more) {
    ByteWriter out = new ByteWriter(use.length() + cache.length() + birth.length() + more);
    out.sized(bytes(use));
    out.sized(bytes(cache));
    out.sized(bytes(birth));
    return out;
  }

  private static Bytes bytes(String text) {
    return Bytes.of(text.getBytes(StandardCharsets.UTF_8));
  }
}
