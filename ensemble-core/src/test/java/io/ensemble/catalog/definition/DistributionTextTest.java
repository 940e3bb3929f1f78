package io.ensemble.catalog.definition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.DistributedDefinition;
import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.RecordText;
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

/** The text of a distributed cache's record; {@code CatalogContract} tests its behavior. */
class DistributionTextTest {

  private static final DistributedDefinition ODD =
      DistributedDefinition.of("ü = /..", "p", "set=x", "ü2")
          .by(PartitionerSpec.of("uniform").with("pattern", "^a=(.)$").with("part", "checksum="))
          .inFrontierMode();
  private static final StoredDistribution FIRST = new StoredDistribution(ODD, "00000000000000b1");

  @TempDir Path directory;
  private DistributedDefinitions files = new InMemoryDefinitions().distributions();

  @BeforeEach
  void open() {
    files = FileDefinitions.in(directory.resolve("catalog")).distributions();
  }

  private static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw (RuntimeException) CompletionCause.of(e);
    }
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
        .isThrownBy(
            () ->
                DistributionText.read(
                    RecordText.sealed(new StringBuilder("ensemble-cache=3\nname=x\n"))))
        .withMessageContaining("expected=ensemble-distributed=1 found=ensemble-cache=3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DefinitionText.read(DistributionText.write(FIRST)))
        .withMessageContaining("another format");
  }

  @Test
  void everyDamageIsReportedWithItsPath() throws IOException {
    get(files.create(FIRST));
    Path file;
    try (var all = Files.list(directory.resolve("catalog"))) {
      file = all.filter(path -> path.toString().endsWith(".cache")).findFirst().orElseThrow();
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
        assertThatThrownBy(() -> get(files.create(FIRST))).isInstanceOf(CatalogException.class);
        assertThat(Files.readAllBytes(file)).isEqualTo(bad);
      }
    }
  }
}
