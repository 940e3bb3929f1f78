package io.ensemble.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.DistributedDefinition;
import io.ensemble.cache.Unwrapped;
import io.ensemble.catalog.CatalogException.Reason;
import io.ensemble.partition.PartitionerSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every catalog of distributed caches does, in memory and in files. */
class DistributionsTest {

  private static final DistributedDefinition ODD =
      DistributedDefinition.of("ü = /..", "p", "set=x", "ü2")
          .by(PartitionerSpec.of("uniform").with("pattern", "^a=(.)$").with("part", "checksum="))
          .inFrontierMode();
  private static final StoredDistribution FIRST = new StoredDistribution(ODD, "00000000000000b1");
  private static final StoredDistribution SECOND = new StoredDistribution(ODD, "00000000000000b2");

  @TempDir Path directory;
  private final Distributions memory = new InMemoryDistributions();
  private Distributions files = memory;

  @BeforeEach
  void open() {
    files = FileDistributions.in(directory.resolve("catalog"));
  }

  private Distributions catalog(boolean inFiles) {
    return inFiles ? files : memory;
  }

  private static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw (RuntimeException) Unwrapped.of(e);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theFirstOneCreatesAndOthersFindIt(boolean inFiles) {
    Distributions catalog = catalog(inFiles);

    assertThat(get(catalog.get(ODD.name()))).isEmpty();
    assertThat(get(catalog.create(FIRST))).isEqualTo(FIRST);
    assertThat(get(catalog.create(SECOND))).isEqualTo(FIRST);
    assertThat(get(catalog.get(ODD.name()))).contains(FIRST);
    assertThat(get(catalog.list())).containsExactly(ODD.name());
    StoredDistribution other =
        new StoredDistribution(DistributedDefinition.of(ODD.name(), "p"), "00000000000000b3");
    assertThatExceptionOfType(DistributionExistsException.class)
        .isThrownBy(() -> get(catalog.create(other)))
        .withMessageContaining("parts: [p, set=x, ü2], [p]")
        .withMessageContaining("frontier: true, false");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void onlyTheRecordThatIsKnownIsDeleted(boolean inFiles) {
    Distributions catalog = catalog(inFiles);
    get(catalog.create(FIRST));

    assertThat(get(catalog.delete(SECOND))).isFalse();
    assertThat(get(catalog.delete(FIRST))).isTrue();
    assertThat(get(catalog.delete(FIRST))).isFalse();
    assertThat(get(catalog.list())).isEmpty();
    assertThat(get(catalog.create(SECOND))).isEqualTo(SECOND);
  }

  @Test
  void filesAreSeenByOthersAndDoNotDisturbDefinitions() {
    get(files.create(FIRST));
    FileDefinitions definitions = FileDefinitions.in(directory.resolve("catalog"));

    assertThat(get(FileDistributions.in(directory.resolve("catalog")).get(ODD.name())))
        .contains(FIRST);
    assertThat(get(definitions.get(ODD.name()))).isEmpty();
    assertThat(get(definitions.list())).isEmpty();
  }

  @Test
  void aRecordIsTextForPeople() {
    assertThat(new String(DistributionText.write(FIRST), UTF_8).lines())
        .startsWith(
            "ensemble-distributed=1",
            "name=ü = /..",
            "part=p",
            "part=set=x",
            "part=ü2",
            "partitioner=uniform",
            "set=part=checksum=",
            "set=pattern=^a=(.)$",
            "frontier=true",
            "birth=00000000000000b1");
    assertThat(DistributionText.read(DistributionText.write(FIRST))).isEqualTo(FIRST);
  }

  @Test
  void anotherKindOfRecordIsTold() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DistributionText.read("ensemble-cache=3\nname=x\n".getBytes(UTF_8)))
        .withMessageContaining("wanted=ensemble-distributed=1 found=ensemble-cache=3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DefinitionText.read(DistributionText.write(FIRST)))
        .withMessageContaining("another format");
  }

  @Test
  void everyDamageIsReportedWithItsPath() throws IOException {
    get(files.create(FIRST));
    Path file;
    try (var all = Files.list(directory.resolve("catalog"))) {
      file = all.filter(path -> path.toString().endsWith(".distributed")).findFirst().orElseThrow();
    }
    byte[] whole = Files.readAllBytes(file);
    for (int at = 0; at < whole.length; at += 5) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 1;
      for (byte[] bad : new byte[][] {damaged, Arrays.copyOf(whole, at)}) {
        Files.write(file, bad);

        assertThatThrownBy(() -> get(files.get(ODD.name())))
            .isInstanceOfSatisfying(
                CatalogException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
            .hasMessageContaining(file.toString());
        assertThatThrownBy(() -> get(files.create(SECOND))).isInstanceOf(CatalogException.class);
        assertThat(Files.readAllBytes(file)).isEqualTo(bad);
      }
    }
  }
}
