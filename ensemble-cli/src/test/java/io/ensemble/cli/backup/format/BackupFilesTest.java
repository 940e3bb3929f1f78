package io.ensemble.cli.backup.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.cli.backup.format.BackupManifest.BackupConsistency;
import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import io.ensemble.cli.backup.format.BackupManifest.CacheBackup;
import io.ensemble.cli.backup.format.BackupManifest.DefinitionBackup;
import io.ensemble.cli.backup.format.BackupManifest.DistributionBackup;
import io.ensemble.cli.backup.format.BackupManifest.VersionedBackup;
import io.ensemble.site.Bytes;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The format of a backup: what is written is read, and nothing else. */
class BackupFilesTest {

  private static final List<BackupRecord> RECORDS =
      List.of(
          BackupRecord.entry(bytes("a"), bytes("value"), 0),
          BackupRecord.entry(bytes(""), bytes(""), 1_700_000_000_000_000L),
          BackupRecord.version(bytes("k"), bytes("v1"), bytes("x")),
          BackupRecord.version(bytes("k"), bytes("v2"), null),
          BackupRecord.version(bytes("k"), bytes("v3"), bytes("")));

  private static final String ENDED = "2026-11-27T21:00:00Z";

  @TempDir Path root;

  @Test
  void recordsAreReadAsTheyWereWritten() {
    List<BackupFile> files = written(1 << 20, RECORDS);

    assertThat(files).hasSize(1);
    assertThat(files.get(0).records()).isEqualTo(RECORDS.size());
    assertThat(read(files)).isEqualTo(RECORDS);
    assertThat(problems(files)).isEmpty();
  }

  @Test
  void aFileIsOfBoundedSizeUnlessOneRecordIsLarger() throws IOException {
    List<BackupRecord> records = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      records.add(BackupRecord.entry(bytes("k" + i), Bytes.of(new byte[i == 7 ? 500 : 40]), 0));
    }

    List<BackupFile> files = written(200, records);

    assertThat(files).hasSizeBetween(8, 20);
    assertThat(files.stream().filter(file -> file.bytes() > 200)).hasSize(1);
    assertThat(files.stream().mapToLong(BackupFile::records).sum()).isEqualTo(20);
    for (BackupFile file : files) {
      assertThat(Files.size(root.resolve(file.name()))).isEqualTo(file.bytes());
    }
    assertThat(read(files)).isEqualTo(records);
  }

  @Test
  void withoutRecordsThereIsNoFile() {
    assertThat(written(100, List.of())).isEmpty();
    assertThat(root).isEmptyDirectory();
  }

  @Test
  void aFlippedBitInAnyByteIsFound() throws IOException {
    List<BackupFile> files = written(1 << 20, RECORDS);
    Path file = root.resolve(files.get(0).name());
    byte[] good = Files.readAllBytes(file);

    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= (byte) (1 << i % 8);
      Files.write(file, bad);
      assertThat(problems(files)).as("byte %d", i).singleElement().asString().contains("damaged");
    }
  }

  @Test
  void aMissingAndATruncatedFileAreFound() throws IOException {
    List<BackupFile> files = written(1 << 20, RECORDS);
    Path file = root.resolve(files.get(0).name());
    byte[] good = Files.readAllBytes(file);

    for (int length = 0; length < good.length; length++) {
      Files.write(file, Arrays.copyOf(good, length));
      assertThat(problems(files)).as("length %d", length).hasSize(1);
    }
    Files.delete(file);
    assertThat(problems(files)).singleElement().asString().startsWith("missing: ");
  }

  /** Whatever the bytes are, a reader fails by its own exception, or returns records. */
  @Test
  void aReaderOfDamagedRecordsFailsByType() throws IOException {
    List<BackupFile> files = written(1 << 20, RECORDS);
    Path file = root.resolve(files.get(0).name());
    byte[] good = Files.readAllBytes(file);
    int failures = 0;

    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] = (byte) 0xff;
      Files.write(file, bad);
      try {
        read(files);
      } catch (BackupException expected) {
        failures++;
      }
    }
    assertThat(failures).isGreaterThan(20);
  }

  @Test
  void aFileOfAnotherFormatIsRefusedByType() throws IOException {
    List<BackupFile> files = written(1 << 20, RECORDS);
    Path file = root.resolve(files.get(0).name());
    byte[] bytes = Files.readAllBytes(file);
    bytes[7] = 2;
    Files.write(file, bytes);

    assertThatExceptionOfType(UnknownBackupFormatException.class)
        .isThrownBy(() -> read(files))
        .withMessageContaining("must be 1; got 2");
  }

  @Test
  void aManifestIsReadAsItWasWritten() throws IOException {
    BackupManifest manifest = manifest(true, List.of());
    Path directory = root.resolve("b");
    try (BackupStore store = new BackupDirectory(directory)) {
      StoredBackup backup = new StoredBackup(store);
      assertThat(backup.isEmpty()).isTrue();
      assertThat(directory).doesNotExist();
      backup.claim();
      backup.savePartial(manifest(false, List.of()));
      assertThat(backup.loadPartial()).contains(manifest(false, List.of()));
      assertThatExceptionOfType(BackupException.class)
          .isThrownBy(backup::load)
          .withMessageContaining("not complete", "--resume");
      assertThat(backup.finishInterrupted()).isEmpty();
      assertThat(backup.loadAny()).isEqualTo(manifest(false, List.of()));

      assertThat(completed(backup)).isEqualTo(manifest);
      assertThat(backup.finishInterrupted()).isEmpty();
      assertThat(backup.loadAny()).isEqualTo(manifest);
    }

    assertThat(load(directory)).isEqualTo(manifest);
    assertThat(directory)
        .isDirectoryNotContaining("glob:**partial*")
        .isDirectoryNotContaining("glob:**tmp");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .isEqualTo("rwx------");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(directory.resolve("manifest.json"))))
        .isEqualTo("rw-------");
  }

  @Test
  void aRunThatEndedBeforeItsLastStepsIsNotCompleteUntilItIsResumed() throws IOException {
    BackupManifest manifest = manifest(true, List.of());
    try (BackupStore store = new BackupDirectory(root)) {
      StoredBackup backup = new StoredBackup(store);
      backup.claim();
      backup.savePartial(manifest(false, List.of()).ended(ENDED));
      assertIsNotCompleteUntilItIsFinished(backup);

      backup.savePartial(manifest(false, List.of()).ended(ENDED));
      Files.delete(root.resolve(StoredBackup.DIGEST));
      assertIsNotCompleteUntilItIsFinished(backup);

      backup.savePartial(manifest(false, List.of())); // Of a run that began too late.
      assertThat(backup.loadAny()).isEqualTo(manifest);
      assertThat(backup.finishInterrupted()).contains(manifest);
    }
  }

  private void assertIsNotCompleteUntilItIsFinished(StoredBackup backup) {
    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(backup::load)
        .withMessageContaining("not complete", "--resume");
    assertThat(backup.loadAny()).isEqualTo(manifest(false, List.of()).ended(ENDED));

    assertThat(backup.finishInterrupted()).contains(manifest(true, List.of()));

    assertThat(backup.load()).isEqualTo(manifest(true, List.of()));
    assertThat(root.resolve(StoredBackup.PARTIAL)).doesNotExist();
  }

  private static BackupManifest completed(StoredBackup backup) {
    return backup.complete(manifest(false, List.of()).ended(ENDED));
  }

  @Test
  void aLocationIsEmptyIfARunWasKilledBeforeItsFirstManifest() throws IOException {
    Files.writeString(root.resolve(StoredBackup.PARTIAL + ".tmp"), "{");
    StoredBackup backup = new StoredBackup(new BackupDirectory(root));

    assertThat(backup.isEmpty()).isTrue();
    Files.writeString(root.resolve("notes.txt"), "mine");
    assertThat(backup.isEmpty()).isFalse();
  }

  @Test
  void aFileThatIsReplacedAfterItsVerificationIsFoundAtItsEnd() throws IOException {
    List<BackupFile> files = written(1 << 20, List.of(RECORDS.get(0)));
    Path file = root.resolve(files.get(0).name());
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1; // In the value.
    Files.write(file, bytes);

    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(() -> read(files))
        .withMessageContaining("another SHA-256");
    BackupFile two = new BackupFile(files.get(0).name(), 2, bytes.length, FileDigest.of(bytes));
    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(() -> read(List.of(two)))
        .withMessageContaining("has 1 records; expected 2");
  }

  @Test
  void aFlippedBitInTheManifestIsFound() throws IOException {
    completed(new StoredBackup(new BackupDirectory(root)));
    Path file = root.resolve(StoredBackup.MANIFEST);
    byte[] good = Files.readAllBytes(file);

    for (int i = 0; i < good.length; i += 7) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      Files.write(file, bad);
      assertThatExceptionOfType(BackupException.class)
          .as("byte %d", i)
          .isThrownBy(() -> load(root));
    }
    Files.write(file, good);
    Files.delete(root.resolve(StoredBackup.DIGEST));
    assertThatExceptionOfType(BackupException.class).isThrownBy(() -> load(root));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2", "-1"})
  void aManifestOfAnotherFormatIsRefusedByType(String format) throws IOException {
    Files.writeString(
        root.resolve(StoredBackup.MANIFEST),
        "{\"format\": %s, \"what\": {\"later\": true}}".formatted(format));

    assertThatExceptionOfType(UnknownBackupFormatException.class)
        .isThrownBy(() -> load(root))
        .withMessageContaining("got " + format);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "[]", "null", "{\"format\": \"1\"}", "{\"format\": 1}", "{"})
  void aFileThatIsNoManifestIsRefused(String text) throws IOException {
    Files.writeString(root.resolve(StoredBackup.PARTIAL), text);

    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(() -> new StoredBackup(new BackupDirectory(root)).loadPartial());
  }

  @ParameterizedTest
  @ValueSource(strings = {"../outside", "/etc/passwd", "cache-0001/../../outside", ""})
  void aManifestCannotNameFilesOutsideTheBackup(String name) {
    List<BackupFile> outside = List.of(new BackupFile(name, 1, 1, "00"));

    assertThatExceptionOfType(BackupException.class).isThrownBy(() -> problems(outside));
  }

  @Test
  void aDirectoryIsOfOneRunAtATime() throws IOException {
    BackupStore other = new BackupDirectory(root);
    try (BackupStore store = new BackupDirectory(root)) {
      store.claim();
      assertThat(new StoredBackup(store).isEmpty()).isTrue();
      assertThatExceptionOfType(BackupException.class)
          .isThrownBy(other::claim)
          .withMessageContaining("another backup");
    }
    assertThat(root.resolve("lock")).as("a run may have opened it to lock it").exists();
    other.claim();
    other.close();
  }

  /** Any run may finish what another one has committed, so both must write the same bytes. */
  @Test
  void settingsAreWrittenInOneOrder() {
    Map<String, String> settings = new HashMap<>();
    for (char name = 'h'; name >= 'a'; name--) {
      settings.put(String.valueOf(name), "1");
    }
    DistributionBackup one = new DistributionBackup("d", List.of(), "labels", settings, false);

    assertThat(one.settings().keySet()).containsExactly("a", "b", "c", "d", "e", "f", "g", "h");
  }

  @Test
  void onlyFilesThatNoManifestListsAreRemoved() throws IOException {
    Path foreign = Files.writeString(root.resolve("notes.txt"), "mine");
    try (BackupStore opened = new BackupDirectory(root)) {
      StoredBackup backup = new StoredBackup(opened);
      backup.claim();
      List<BackupFile> listed;
      try (BackupFileWriter writer = new BackupFileWriter(opened, "cache-0001/entries", 100)) {
        writer.write(RECORDS.get(0));
        listed = writer.finish();
      }
      Files.writeString(root.resolve("cache-0001/entries-000002.records"), "of a killed run");
      String second = StoredBackup.directory(2, 2);
      Files.createDirectory(root.resolve(second));
      Files.writeString(root.resolve(second + "/entries-000001.records.tmp"), "the same");

      backup.removeUnlisted(manifest(false, listed));

      assertThat(problems(listed)).isEmpty();
      assertThat(root.resolve("cache-0001/entries-000002.records")).doesNotExist();
      assertThat(root.resolve(second)).doesNotExist();
      assertThat(foreign).exists();
    }
  }

  @Test
  void aFullDiskIsReportedAndLeavesNoFileThatLooksComplete() {
    BackupStore store = new BackupDirectory(root);
    try (BackupFileWriter writer =
        new BackupFileWriter(store, "entries", 1 << 20, out -> new FullDisk(out, 300_000))) {
      assertThatExceptionOfType(BackupException.class)
          .isThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  writer.write(BackupRecord.entry(bytes("k" + i), Bytes.of(new byte[10_000]), 0));
                }
              })
          .withMessageContaining("No space left on device", "entries-000001", "--resume");
    }
    assertThat(root).isEmptyDirectory();
  }

  private static final class FullDisk extends FilterOutputStream {

    private long room;

    FullDisk(OutputStream out, long room) {
      super(out);
      this.room = room;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      room -= length;
      if (room < 0) {
        throw new IOException("No space left on device");
      }
      out.write(bytes, offset, length);
    }
  }

  private static BackupManifest load(Path directory) {
    return new StoredBackup(new BackupDirectory(directory)).load();
  }

  private static BackupManifest manifest(boolean complete, List<BackupFile> files) {
    return new BackupManifest(
        BackupManifest.FORMAT,
        complete,
        "ensemble 0.1.0",
        "0123456789ab",
        "2026-11-27T20:00:00Z",
        complete ? ENDED : null,
        2,
        "b0b7c5b2-0d8e-4a37-8a44-3a2f0d1e9c11",
        List.of("a"),
        List.of("b"),
        List.of(
            new CacheBackup(
                "a",
                "0123456789abcdef",
                new DefinitionBackup(
                    "SWMR",
                    List.of("lyon/1", "lyon/2", "lyon/3"),
                    4,
                    5_000,
                    1 << 20,
                    "PRIMARY",
                    600_000,
                    1_000,
                    2_000,
                    1,
                    "NONE"),
                "2026-11-27T20:00:01Z",
                "2026-11-27T20:00:02Z",
                BackupConsistency.EACH_KEY,
                7,
                files,
                List.of(
                    new VersionedBackup(
                        "versions",
                        "index AUTO (shard size 1000), versions hybrid-times",
                        1,
                        2,
                        3,
                        BackupConsistency.CUT,
                        "0001",
                        1,
                        4,
                        5,
                        List.of())))),
        List.of(
            new DistributionBackup(
                "d", List.of("a", "c"), "ranges", Map.of("borders", "m", "x", "1"), false)));
  }

  private List<BackupFile> written(long maxBytes, List<BackupRecord> records) {
    try (BackupFileWriter writer =
        new BackupFileWriter(new BackupDirectory(root), "entries", maxBytes)) {
      records.forEach(writer::write);
      return writer.finish();
    }
  }

  private List<BackupRecord> read(List<BackupFile> files) {
    List<BackupRecord> records = new ArrayList<>();
    for (BackupFile file : files) {
      try (BackupFileReader reader = BackupFileReader.open(new BackupDirectory(root), file)) {
        for (Optional<BackupRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
          records.add(next.get());
        }
      }
    }
    return records;
  }

  private List<String> problems(List<BackupFile> files) {
    return new BackupVerifier(new BackupDirectory(root)).problems(files.stream(), name -> {});
  }

  private static Bytes bytes(String text) {
    return Bytes.of(text.getBytes(UTF_8));
  }
}
