package io.ensemble.catalog.definition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class FileDefinitionsTest extends CatalogContract {

  @TempDir Path directory;

  /** A new object for each call, as in another process. */
  @Override
  public Definitions definitions() {
    return FileDefinitions.in(directory.resolve("deep/er"));
  }

  private Path file() {
    return directory.resolve("deep/er/c.cache");
  }

  @Test
  void aFileIsTextForPeople() throws IOException {
    get(definitions().create(FIRST));

    assertThat(Files.readAllLines(file()))
        .startsWith("ensemble-cache=5", "name=c", "mode=MWMR", "site=a", "site=b = x", "site=ü")
        .contains("deadline=PT5S", "birth=" + BIRTH, "incarnation=00000002 b = x", "revision=1");
  }

  @Test
  void everyTruncatedOrDamagedFileIsReportedWithItsPathAndNotOverwritten() throws IOException {
    get(definitions().create(FIRST));
    byte[] whole = Files.readAllBytes(file());
    for (int length = 0; length < whole.length; length += 7) {
      byte[] damaged = whole.clone();
      damaged[length] ^= 1;
      byte[] cut = java.util.Arrays.copyOf(whole, length);
      for (byte[] bad : new byte[][] {damaged, cut}) {
        Files.write(file(), bad);
        assertThatThrownBy(() -> get(definitions().get("c")))
            .isInstanceOf(CatalogException.class)
            .hasMessageContaining(file().toString())
            .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.CORRUPT));
      }
    }
    assertThatThrownBy(() -> get(definitions().create(FIRST)))
        .hasMessageContaining(file().toString());
    assertThatThrownBy(() -> get(definitions().list())).hasMessageContaining(file().toString());
    assertThat(Files.readAllBytes(file())).isNotEqualTo(whole);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ensemble-cache=3\nname=half", "\0\0\0"})
  void whatACrashLeftBesideIsIgnored(String left) throws IOException {
    get(definitions().create(FIRST));
    Files.write(file().resolveSibling("c.cache.new"), left.getBytes(UTF_8));

    assertThat(get(definitions().list())).containsExactly("c");
    assertThat(get(definitions().replace(FIRST.withIncarnation("a", "0000000f")))).isTrue();
    assertThat(get(definitions().get("c")).orElseThrow().revision()).isEqualTo(2);
  }

  @Test
  void aFileOfAnEarlierFormatIsRefusedByItsName() throws IOException {
    get(definitions().create(FIRST));
    String now = Files.readString(file());
    String body =
        now.substring(0, now.indexOf("checksum="))
            .replace("ensemble-cache=5", "ensemble-cache=2")
            .replace("birth=" + BIRTH + "\n", "");
    CRC32 crc = new CRC32();
    crc.update(body.getBytes(UTF_8));
    Files.writeString(file(), body + "checksum=%08x\n".formatted(crc.getValue()));

    assertThatThrownBy(() -> get(definitions().get("c")))
        .isInstanceOf(CatalogException.class)
        .hasMessageContainingAll("another format", "ensemble-cache=2", file().toString())
        .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.CORRUPT));
  }

  /** A release that does not support lazy migration must neither open the cache nor change it. */
  @Test
  void aFileOfACacheWhoseKeysAreTakenOverIsOfAFormatOfItsOwn() throws IOException {
    CacheDefinition to = CacheDefinition.of("c", Mode.MWMR).sites("a").build();
    ConfigurationChange change =
        ConfigurationChange.begun(to, Map.of("a", "0000000a"), "me", new TreeSet<>());
    StoredDefinition cutover = FIRST.with(Optional.of(change.at(ChangePhase.CUTOVER)));
    get(definitions().create(FIRST));

    assertThat(get(definitions().replace(cutover))).isTrue();
    assertThat(Files.readAllLines(file())).startsWith("ensemble-cache=6");
    assertThat(get(definitions().replace(cutover.switched()))).isTrue();
    assertThat(Files.readAllLines(file())).startsWith("ensemble-cache=5");
  }

  /** A release that does not support restarted changes would use the wrong new stores. */
  @Test
  void aFileOfACacheWhoseChangeWasRestartedIsOfAFormatOfItsOwn() throws IOException {
    CacheDefinition to = CacheDefinition.of("c", Mode.MWMR).sites("a").build();
    ConfigurationChange change =
        ConfigurationChange.begun(to, Map.of("a", "0000000a"), "me", new TreeSet<>());
    StoredDefinition cutover = FIRST.with(Optional.of(change.at(ChangePhase.CUTOVER)));
    StoredDefinition restarted =
        cutover.with(
            cutover
                .change()
                .map(now -> now.restarted("you", Map.of("a", "0000000b"), cutover.newStores())));
    get(definitions().create(FIRST));
    get(definitions().replace(cutover));

    assertThat(get(definitions().replace(restarted))).isTrue();
    assertThat(Files.readAllLines(file())).startsWith("ensemble-cache=9").contains("restarts=1");
    StoredDefinition closing = restarted.switched();
    assertThat(get(definitions().replace(closing))).isTrue();
    assertThat(Files.readAllLines(file())).startsWith("ensemble-cache=9");
    assertThat(get(definitions().replace(closing.with(Optional.empty())))).isTrue();
    assertThat(Files.readAllLines(file())).startsWith("ensemble-cache=5");
  }

  /** A release that does not support siblings would overwrite values that it has not read. */
  @Test
  void aFileOfACacheThatKeepsSiblingsIsOfAFormatOfItsOwn() throws IOException {
    CacheDefinition siblings = CacheDefinition.of("c", Mode.WEAK).sites("a").siblings(5).build();
    get(
        definitions()
            .create(StoredDefinition.first(siblings, FIRST.birth(), Map.of("a", "0000000a"))));

    assertThat(Files.readAllLines(file())).startsWith("ensemble-cache=7").contains("siblings=5");
  }

  /** A release that does not support privacy would write values in plain text. */
  @Test
  void aFileOfAPrivateCacheIsOfAFormatOfItsOwn() throws IOException {
    for (Privacy privacy : new Privacy[] {Privacy.VALUES, Privacy.VALUES_AND_KEYS}) {
      CacheDefinition secret =
          CacheDefinition.of("c", Mode.MWMR).sites("a").privacy(privacy).build();
      StoredDefinition first =
          StoredDefinition.first(secret, FIRST.birth(), Map.of("a", "0000000a"));
      get(definitions().create(first));

      assertThat(Files.readAllLines(file()))
          .startsWith("ensemble-cache=8")
          .contains("privacy=" + privacy);
      assertThat(get(definitions().get("c"))).hasValue(first);
      Files.delete(file());
    }
  }

  @Test
  void aFileOfAnotherCacheIsReported() throws IOException {
    get(definitions().create(FIRST));
    Files.copy(file(), file().resolveSibling("d.cache"));

    assertThatThrownBy(() -> get(definitions().get("d")))
        .hasMessageContainingAll("expected=d", "found=c");
  }

  @Test
  void aLockThatSomebodyKeepsIsAnErrorThatNamesIt() throws IOException {
    Definitions definitions = definitions();
    Path lock = directory.resolve("deep/er/.lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      assertThat(held.isValid()).isTrue();
      assertThatThrownBy(() -> get(definitions.create(FIRST)))
          .isInstanceOf(CatalogException.class)
          .hasMessageContainingAll("lock", lock.toString());
      assertThat(get(definitions.get("c"))).as("readers need no lock").isEmpty();
    }
    assertThat(get(definitions.create(FIRST))).isEqualTo(FIRST);
  }

  private static void isAway(Definitions definitions) {
    List<Supplier<CompletionStage<?>>> calls =
        List.of(
            () -> definitions.get("c"),
            definitions::list,
            () -> definitions.create(FIRST),
            () -> definitions.replace(FIRST.withIncarnation("a", "0000000f")),
            () -> definitions.delete(FIRST));
    for (Supplier<CompletionStage<?>> call : calls) {
      assertThatThrownBy(() -> get(call.get()))
          .isInstanceOf(CatalogException.class)
          .satisfies(
              e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.UNAVAILABLE));
    }
  }

  @Test
  void whileTheDirectoryIsAwayNothingCountsAsDeleted() throws IOException {
    Path place = directory.resolve("deep/er");
    Path away = directory.resolve("away");
    Definitions definitions = definitions();
    get(definitions.create(FIRST));
    Files.move(place, away);
    isAway(definitions);

    Files.createDirectory(place); // An empty directory, as if a file system were not mounted.
    isAway(definitions);
    assertThat(place).isEmptyDirectory();
    Files.delete(place);

    FileDefinitions.in(place); // Another catalog.
    isAway(definitions);
    Files.delete(place.resolve(".id"));
    Files.delete(place.resolve(".lock"));
    Files.delete(place);

    Files.move(away, place);
    assertThat(get(definitions.get("c"))).contains(FIRST);
    assertThat(get(definitions.get("d"))).isEmpty();
  }

  @Test
  void manyWhoOpenADirectoryFirstAgreeOnItsId() {
    List<CompletableFuture<String>> ids = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      ids.add(
          CompletableFuture.supplyAsync(
              () -> get(definitions().id()), task -> new Thread(task).start()));
    }

    assertThat(ids.stream().map(id -> get(id)).distinct()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "not an id", "0123456789ab0"})
  void anIdThatCannotBeReadIsReportedAndKept(String bad) throws IOException {
    definitions();
    Path id = directory.resolve("deep/er/.id");
    Files.writeString(id, bad);

    assertThatThrownBy(this::definitions)
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining(id.toString())
        .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.CORRUPT));
    assertThat(id).hasContent(bad);
  }

  @Test
  void aFileInPlaceOfTheDirectoryIsReported() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    assertThatThrownBy(() -> FileDefinitions.in(file))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void aDeviceThatIsFullLosesNothing() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "a device that is always full");
    get(definitions().create(FIRST));
    Files.createSymbolicLink(file().resolveSibling("c.cache.new"), full);

    assertThatThrownBy(() -> get(definitions().replace(FIRST.withIncarnation("a", "0000000f"))))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining("No space left")
        .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.UNAVAILABLE));
    assertThat(get(definitions().get("c"))).contains(FIRST);
  }
}
