package io.ensemble.keyset;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.crypto.tink.daead.PredefinedDeterministicAeadParameters;
import java.security.GeneralSecurityException;

/** A keyset without a file, whose keys the tests change. */
public final class TestKeyset {

  private volatile Keyset keyset;

  /** A keyset with a key for values only. */
  public TestKeyset() {
    this(false);
  }

  public TestKeyset(boolean names) {
    try {
      Keyset.register();
      keyset =
          Keyset.of(
              KeysetHandle.generateNew(PredefinedAeadParameters.AES256_GCM),
              names
                  ? KeysetHandle.generateNew(PredefinedDeterministicAeadParameters.AES256_SIV)
                  : null);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  public Keyset keyset() {
    return keyset;
  }

  /** A reference to the keyset as it is when a cache is opened. */
  public KeysetReference reference() {
    return KeysetReference.of(() -> KeysetText.write(keyset, null));
  }

  /** Makes a new key the primary one; the former keys decrypt. */
  public void rotate() {
    change(
        KeysetHandle.newBuilder(keyset.values())
            .addEntry(
                KeysetHandle.generateEntryFromParameters(PredefinedAeadParameters.AES256_GCM)
                    .withRandomId()
                    .makePrimary()));
  }

  /** Removes the first key. */
  public void retireFirst() {
    change(KeysetHandle.newBuilder(keyset.values()).deleteAt(0));
  }

  private void change(KeysetHandle.Builder values) {
    try {
      keyset = Keyset.of(values.build(), keyset.names().orElse(null));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
