package io.ensemble.keyset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.crypto.tink.KeyStatus;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AesGcmParameters;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeysetFileTest {

  private static final String WRAPPING = Base64.getEncoder().encodeToString(new byte[32]);
  private static final String OTHER =
      Base64.getEncoder()
          .encodeToString("another key of just 32 bytes ...".getBytes(StandardCharsets.UTF_8));

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("keyset");
  }

  private KeysetFile at() {
    return KeysetFile.at(file, () -> WRAPPING);
  }

  @Test
  void aNewFileIsItsOwnersAloneAndIsNotMadeTwice() throws IOException {
    Keyset made = at().create(false, true);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(made.keys()).hasSize(1);
    assertThat(made.namesId()).isPresent();
    assertThat(at().read().keys()).isEqualTo(made.keys());
    assertThatExceptionOfType(KeysetException.class).isThrownBy(() -> at().create(false, true));
    assertThat(at().read().keys()).isEqualTo(made.keys());
  }

  @Test
  void aKeyForNamesIsMadeIfAskedFor() {
    assertThat(at().create(false, false).namesId()).isEmpty();
    assertThat(at().rotate().namesId()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-----w-"})
  void aFileThatOthersCanUseIsRefusedUnlessItIsEncrypted(String permissions) throws IOException {
    at().create(false, true);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));

    assertThatExceptionOfType(KeysetException.class)
        .isThrownBy(() -> at().read())
        .withMessageContaining("chmod 600");

    Files.delete(file);
    at().create(true, true);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    assertThat(at().read().keys()).hasSize(1);
  }

  /** The owner of a file can change the file and its permissions. */
  @Test
  void aFileOfAnotherUserIsNotOurs() throws IOException {
    at().create(false, true);
    PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
    UserPrincipal nobody = () -> "nobody-else";

    assertThat(FileOwner.whyNotOurs(attributes, attributes.owner())).isEmpty();
    assertThat(FileOwner.whyNotOurs(attributes, nobody))
        .hasValueSatisfying(why -> assertThat(why).contains("user=nobody-else"));
    assertThat(FileOwner.whyNotOurs(file)).isEmpty();
  }

  @Test
  void anEncryptedFileOpensWithItsWrappingKeyAlone() throws IOException {
    Keyset made = at().create(true, true);

    assertThat(Files.readString(file)).startsWith("{\"encrypted\":").doesNotContain("primaryKeyId");
    assertThat(at().read().keys()).isEqualTo(made.keys());
    assertThatExceptionOfType(KeysetException.class)
        .isThrownBy(() -> KeysetFile.at(file, () -> OTHER).read())
        .withMessageContaining("wrapping key");
    at().rotate();
    assertThat(Files.readString(file)).startsWith("{\"encrypted\":");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "   ", "x", "AAAA", "%%%%"})
  void aWrappingKeyThatIsNoneIsToldAndNotShown(String wrapping) {
    assertThatExceptionOfType(KeysetException.class)
        .isThrownBy(() -> KeysetFile.at(file, () -> wrapping).create(true, true))
        .withMessageContaining("32 bytes");
    assertThat(file).doesNotExist();
  }

  @Test
  void anotherKeyEncryptsAndTheFormerOneDecryptsUntilItIsRetired() {
    Keyset first = at().create(false, true);
    byte[] sealed = first.seal(new byte[] {1}, new byte[] {2});

    Keyset second = at().rotate();

    assertThat(second.keys()).hasSize(2);
    assertThat(second.primaryId()).isNotEqualTo(first.primaryId());
    assertThat(second.namesId()).isEqualTo(first.namesId());
    assertThat(second.open(sealed, new byte[] {2})).hasValue(new byte[] {1});
    assertThat(first.open(second.seal(new byte[] {1}, new byte[0]), new byte[0])).isEmpty();

    Keyset third = at().retire(first.primaryId());
    assertThat(third.keys()).containsExactly(new Keyset.Key(second.primaryId(), true));
    assertThat(third.open(sealed, new byte[] {2})).isEmpty();
    assertThat(directory).isDirectoryNotContaining("glob:**.new");
  }

  @Test
  void aLinkStaysOne() throws IOException {
    Path real = directory.resolve("elsewhere");
    KeysetFile.at(real).create(false, false);
    Files.createSymbolicLink(file, real);

    at().rotate();

    assertThat(file).isSymbolicLink();
    assertThat(KeysetFile.at(real).read().keys()).hasSize(2);
  }

  @Test
  void aPreparedKeyDecryptsBeforeItEncrypts() {
    Keyset first = at().create(false, true);

    Keyset prepared = at().prepare();
    assertThat(prepared.primaryId()).isEqualTo(first.primaryId());
    assertThat(prepared.keys()).hasSize(2);
    assertThatExceptionOfType(KeysetException.class).isThrownBy(() -> at().prepare());

    Keyset rotated = at().rotate();
    assertThat(rotated.keys()).hasSize(2);
    assertThat(rotated.primaryId()).isEqualTo(prepared.keys().get(1).id());
    assertThat(prepared.open(rotated.seal(new byte[] {1}, new byte[0]), new byte[0])).isPresent();
  }

  @Test
  void theKeyThatEncryptsIsNotRetiredNorOneThatIsNotThere() {
    Keyset made = at().create(false, true);

    for (int id : List.of(made.primaryId(), made.primaryId() + 1)) {
      assertThatExceptionOfType(KeysetException.class)
          .isThrownBy(() -> at().retire(id))
          .withMessageContaining(Integer.toUnsignedString(id));
    }
    assertThat(at().read().keys()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "[]", "null", "secret", "{\"values\":{}}", "{\"encrypted\":1}"})
  void whatIsNoKeysetIsToldAndNotShown(String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));

    assertThatExceptionOfType(KeysetException.class)
        .isThrownBy(() -> at().read())
        .withMessageContaining(file.toString())
        .withMessageNotContaining("secret")
        .withNoCause();
  }

  private static AesGcmParameters gcm(int bytes, AesGcmParameters.Variant variant)
      throws GeneralSecurityException {
    return AesGcmParameters.builder()
        .setKeySizeBytes(bytes)
        .setIvSizeBytes(12)
        .setTagSizeBytes(16)
        .setVariant(variant)
        .build();
  }

  /** A ciphertext without the id of a key does not say which key decrypts it. */
  @Test
  void aKeyThatIsShorterOrHasNoIdIsRefused() throws GeneralSecurityException {
    Keyset.register();
    for (AesGcmParameters other :
        List.of(
            gcm(16, AesGcmParameters.Variant.TINK), gcm(32, AesGcmParameters.Variant.NO_PREFIX))) {
      KeysetHandle strange = KeysetHandle.generateNew(other);

      assertThatExceptionOfType(KeysetException.class)
          .isThrownBy(() -> Keyset.of(strange, null))
          .withMessageContaining("AES-256-GCM");
    }
  }

  @Test
  void aKeyThatIsDisabledIsNotHad() {
    Keyset former = new TestKeyset().keyset();
    KeysetHandle.Builder both =
        KeysetHandle.newBuilder(former.values())
            .addEntry(
                KeysetHandle.generateEntryFromParameters(PredefinedAeadParameters.AES256_GCM)
                    .withRandomId()
                    .makePrimary());
    both.getAt(0).setStatus(KeyStatus.DISABLED);

    Keyset later = Keyset.of(built(both), null);

    assertThat(former.has(former.primaryId())).isTrue();
    assertThat(later.has(later.primaryId())).isTrue();
    assertThat(later.has(former.primaryId())).isFalse();
  }

  private static KeysetHandle built(KeysetHandle.Builder builder) {
    try {
      return builder.build();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aKeysetIsNoLargerThanAMebibyte() throws IOException {
    at().create(false, false);
    String text = Files.readString(file);
    int most = 1 << 20;

    Files.writeString(file, text + " ".repeat(most - text.length()));
    assertThat(at().read().keys()).hasSize(1);
    Files.writeString(file, text + " ".repeat(most - text.length() + 1));
    assertThatExceptionOfType(KeysetException.class)
        .isThrownBy(() -> at().read())
        .withMessageContaining("at most");
  }

  @Test
  void aKeysetThatIsNotThereIsTold() {
    assertThatExceptionOfType(KeysetException.class)
        .isThrownBy(() -> at().read())
        .withMessageContaining("NoSuchFileException");
  }

  @Test
  void aVariableHoldsAnEncryptedKeysetOnly() {
    String plain = KeysetText.write(new TestKeyset().keyset(), null);
    String wrapped = KeysetText.write(new TestKeyset().keyset(), WRAPPING);

    assertThat(KeysetReference.inVariable("V", () -> wrapped, () -> WRAPPING).get().keys())
        .hasSize(1);
    assertThatExceptionOfType(KeysetException.class)
        .isThrownBy(() -> KeysetReference.inVariable("V", () -> plain, () -> WRAPPING).get())
        .withMessageContaining("variable=V");
    assertThatExceptionOfType(KeysetException.class)
        .isThrownBy(() -> KeysetReference.inVariable("NO_SUCH_VARIABLE_AT_ALL").get())
        .withMessageContaining("NO_SUCH_VARIABLE_AT_ALL");
  }

  @Test
  void nothingShowsAKey() throws IOException {
    Keyset made = at().create(false, true);
    String material = Files.readString(file).replaceAll("(?s).*?\"value\":\"([^\"]+)\".*", "$1");

    assertThat(material).hasSizeGreaterThan(30);
    assertThat(made.toString() + KeysetReference.inFile(file) + made.keys())
        .doesNotContain(material);
  }
}
