package io.ensemble.keyset;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.crypto.tink.daead.PredefinedDeterministicAeadParameters;
import java.security.GeneralSecurityException;

/** A keyset of no file, which can be given other keys. */
public final class TestKeyset {

  private volatile Keyset keyset;

  /** With a key for values alone. */
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

  /** What it is at the time of opening. */
  public KeysetReference reference() {
    return KeysetReference.of(() -> KeysetText.write(keyset, null));
  }

  /** Another key encrypts; the former ones decrypt. */
  public void rotate() {
    change(
        KeysetHandle.newBuilder(keyset.values())
            .addEntry(
                KeysetHandle.generateEntryFromParameters(PredefinedAeadParameters.AES256_GCM)
                    .withRandomId()
                    .makePrimary()));
  }

  /** The first key is there no more. */
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
