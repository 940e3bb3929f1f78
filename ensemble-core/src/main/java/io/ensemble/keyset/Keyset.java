package io.ensemble.keyset;

import com.google.crypto.tink.AccessesPartialKey;
import com.google.crypto.tink.Aead;
import com.google.crypto.tink.DeterministicAead;
import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeyStatus;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.aead.AeadConfig;
import com.google.crypto.tink.aead.AesGcmKey;
import com.google.crypto.tink.aead.AesGcmParameters;
import com.google.crypto.tink.daead.AesSivKey;
import com.google.crypto.tink.daead.AesSivParameters;
import com.google.crypto.tink.daead.DeterministicAeadConfig;
import com.google.crypto.tink.subtle.Hkdf;
import com.google.crypto.tink.util.SecretBytes;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The keys of a private cache, ready for use. Never reveals them. Immutable, thread-safe. */
public final class Keyset {

  /** The name of a key: its id, which precedes every ciphertext of the key. */
  public record Key(int id, boolean primary) {

    /** The id as it is printed. */
    public String name() {
      return Integer.toUnsignedString(id);
    }
  }

  private final KeysetHandle values;
  private final @Nullable KeysetHandle names;
  private final Aead aead;
  private final @Nullable DeterministicAead deterministic;

  private Keyset(KeysetHandle values, @Nullable KeysetHandle names)
      throws GeneralSecurityException {
    this.values = values;
    this.names = names;
    aead = values.getPrimitive(RegistryConfiguration.get(), Aead.class);
    deterministic =
        names == null
            ? null
            : names.getPrimitive(RegistryConfiguration.get(), DeterministicAead.class);
  }

  /**
   * A keyset of these keys.
   *
   * @param names a handle of exactly one key; null for none
   * @throws KeysetException if they are of another kind than AES-256-GCM and AES-SIV with key ids
   */
  static Keyset of(KeysetHandle values, @Nullable KeysetHandle names) {
    try {
      for (int i = 0; i < values.size(); i++) {
        require(
            values.getAt(i).getKey().getParameters() instanceof AesGcmParameters gcm
                && gcm.getKeySizeBytes() == 32
                && gcm.getVariant() == AesGcmParameters.Variant.TINK,
            "keys for values must be AES-256-GCM keys with ids");
      }
      require(
          names == null
              || (names.size() == 1
                  && names.getAt(0).getKey().getParameters() instanceof AesSivParameters siv
                  && siv.getKeySizeBytes() == 64
                  && siv.getVariant() == AesSivParameters.Variant.TINK),
          "keys for names must be one AES256-SIV key with an id, or none");
      return new Keyset(values, names);
    } catch (GeneralSecurityException unusable) {
      throw new KeysetException("the keyset cannot be used");
    }
  }

  /** Registers with Tink the kinds of keys that are used here; may be repeated. */
  static void register() throws GeneralSecurityException {
    AeadConfig.register();
    DeterministicAeadConfig.register();
  }

  private static void require(boolean holds, String wanted) {
    if (!holds) {
      throw new KeysetException(wanted);
    }
  }

  KeysetHandle values() {
    return values;
  }

  Optional<KeysetHandle> names() {
    return Optional.ofNullable(names);
  }

  /** The keys for values, the oldest first. */
  public List<Key> keys() {
    List<Key> keys = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      keys.add(new Key(values.getAt(i).getId(), values.getAt(i).isPrimary()));
    }
    return List.copyOf(keys);
  }

  /** The id of the key that encrypts. */
  public int primaryId() {
    return values.getPrimary().getId();
  }

  /** The id of the key for names; empty if there is none. */
  public Optional<Integer> namesId() {
    return Optional.ofNullable(names).map(handle -> handle.getPrimary().getId());
  }

  /** Whether values under the key {@code keyId} can be read. */
  public boolean has(int keyId) {
    for (int i = 0; i < values.size(); i++) {
      if (values.getAt(i).getId() == keyId
          && values.getAt(i).getStatus().equals(KeyStatus.ENABLED)) {
        return true;
      }
    }
    return false;
  }

  /** Encrypts {@code plain} under the primary key, bound to {@code associated}. */
  public byte[] seal(byte[] plain, byte[] associated) {
    try {
      return aead.encrypt(plain, associated);
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("AES-GCM cannot fail to encrypt", impossible);
    }
  }

  /**
   * Decrypts a result of {@link #seal}; empty if {@code sealed} was not encrypted by these keys, or
   * not bound to {@code associated}.
   */
  public Optional<byte[]> open(byte[] sealed, byte[] associated) {
    try {
      return Optional.of(aead.decrypt(sealed, associated));
    } catch (GeneralSecurityException notAuthentic) {
      return Optional.empty();
    }
  }

  /**
   * Encrypts a name deterministically: the same name always gives the same result.
   *
   * @throws IllegalStateException if there is no key for names
   */
  public byte[] sealName(byte[] name, byte[] associated) {
    try {
      return deterministic().encryptDeterministically(name, associated);
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("AES-SIV cannot fail to encrypt", impossible);
    }
  }

  /**
   * Decrypts a result of {@link #sealName}; empty if {@code sealed} was not encrypted by this key,
   * or not bound to {@code associated}.
   */
  public Optional<byte[]> openName(byte[] sealed, byte[] associated) {
    try {
      return Optional.of(deterministic().decryptDeterministically(sealed, associated));
    } catch (GeneralSecurityException notAuthentic) {
      return Optional.empty();
    }
  }

  /**
   * Derives a secret of 32 bytes for another purpose, by HKDF with SHA-256: from the key for names,
   * or else from the oldest key for values. A different {@code purpose} gives an independent
   * secret.
   */
  public byte[] derive(byte[] purpose) {
    try {
      byte[] material = oldest().toByteArray(InsecureSecretKeyAccess.get());
      return Hkdf.computeHkdf("HMACSHA256", material, new byte[0], purpose, 32);
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("HKDF with SHA-256 cannot fail", impossible);
    }
  }

  @AccessesPartialKey // The kinds of keys are those that the constructor requires.
  private SecretBytes oldest() {
    return names == null
        ? ((AesGcmKey) values.getAt(0).getKey()).getKeyBytes()
        : ((AesSivKey) names.getAt(0).getKey()).getKeyBytes();
  }

  private DeterministicAead deterministic() {
    if (deterministic == null) {
      throw new IllegalStateException("the keyset has no key for names");
    }
    return deterministic;
  }

  @Override
  public String toString() {
    return "Keyset[keys=" + keys() + " names=" + namesId() + "]";
  }
}
