package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A trace is read as it was written, and a malformed one is refused. */
class TraceFilesTest {

  private static final TraceHeader HEADER = new TraceHeader("git", "a \"place\"\nat 1");

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"trace.jsonl", "trace.jsonl.gz"})
  void whatIsWrittenIsRead(String name) throws IOException {
    List<byte[]> values =
        List.of(
            new byte[0], "t\u00e9xt\n\0\"".getBytes(UTF_8), new byte[] {-1, 0, 'a', (byte) 0xC3});
    Path file = directory.resolve(name);

    try (TraceWriter writer = TraceWriter.to(file, HEADER)) {
      for (byte[] value : values) {
        writer.take(new TraceVersion("k\n\"1", Long.MAX_VALUE, Optional.of(value)));
      }
      writer.read(new TraceRead("k", 3, TraceRead.Kind.HISTORY));
      writer.take(TraceVersion.removed("k", 2));
    }

    try (TraceReader reader = TraceReader.open(file)) {
      assertThat(reader.header()).isEqualTo(HEADER);
      for (byte[] value : values) {
        TraceVersion read = reader.next().orElseThrow();
        assertThat(read.key()).isEqualTo("k\n\"1");
        assertThat(read.version()).isEqualTo(Long.MAX_VALUE);
        assertThat(read.value()).hasValueSatisfying(v -> assertThat(v).isEqualTo(value));
      }
      assertThat(reader.next()).contains(TraceVersion.removed("k", 2));
      assertThat(reader.next()).isEmpty();
    }
  }

  @Test
  void readsAreReadAmongVersions() throws IOException {
    Path file = directory.resolve("reads.jsonl");
    try (TraceWriter writer = TraceWriter.to(file, HEADER)) {
      writer.take(TraceVersion.removed("k", 1));
      for (TraceRead.Kind kind : TraceRead.Kind.values()) {
        writer.read(new TraceRead("k", 5, kind));
      }
    }
    List<TraceRead> reads = new ArrayList<>();
    TraceSummary.Counting counting = new TraceSummary.Counting();

    try (TraceReader reader = TraceReader.open(file)) {
      reader.all(
          new TraceSink() {
            @Override
            public void take(TraceVersion version) {
              counting.take(version);
            }

            @Override
            public void read(TraceRead read) {
              reads.add(read);
              counting.read(read);
            }
          });
    }

    assertThat(reads)
        .extracting(TraceRead::kind)
        .containsExactly(TraceRead.Kind.LATEST, TraceRead.Kind.OLD, TraceRead.Kind.HISTORY);
    assertThat(reads).allSatisfy(r -> assertThat(r.at()).isEqualTo(5));
    assertThat(counting.summary().versions()).isOne();
    assertThat(counting.summary().oldReads()).isOne();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "nonsense",
        "{\"ensemble_trace\":2,\"source\":\"git\",\"origin\":\"x\"}",
        "{\"ensemble_trace\":1,\"source\":\"git\"}"
      })
  void whatDoesNotBeginAsATraceIsRefused(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("t"), text);

    assertThatThrownBy(() -> TraceReader.open(file).close())
        .isInstanceOf(MalformedTraceException.class)
        .hasMessageContaining("line 1 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"version\":1,\"text\":\"x\"}",
        "{\"key\":\"k\",\"text\":\"x\"}",
        "{\"key\":\"k\",\"version\":1.5,\"text\":\"x\"}",
        "{\"key\":\"k\",\"version\":1}",
        "{\"key\":\"k\",\"version\":1,\"base64\":\"*\"}",
        "{\"key\":\"k\",\"at\":1,\"read\":\"sometimes\"}",
        "{\"key\":\"k\",\"read\":\"latest\"}",
        "{\"key\":\"k\",\"version\":1,\"text\":\"x\"",
        "{\"key\":\"k\",\"version\":1,\"text\":\"x\"} more",
        ""
      })
  void aLineThatIsNoneIsNamed(String line) throws IOException {
    String header = "{\"ensemble_trace\":1,\"source\":\"git\",\"origin\":\"x\"}\n";
    Path file = Files.writeString(directory.resolve("t"), header + line + "\n");

    try (TraceReader reader = TraceReader.open(file)) {
      assertThatThrownBy(reader::next)
          .isInstanceOf(MalformedTraceException.class)
          .hasMessageContaining("line 2 ");
    }
  }

  @Test
  void whatIsNotPackedIsNotUnpacked() throws IOException {
    Path file = Files.writeString(directory.resolve("t.gz"), "plain");

    assertThatThrownBy(() -> TraceReader.open(file).close())
        .isInstanceOf(MalformedTraceException.class)
        .hasMessageContaining("gzip");
  }

  @Test
  void aSummaryCounts() {
    TraceSummary.Counting counting = new TraceSummary.Counting();
    for (int i = 1; i <= 12; i++) {
      counting.take(new TraceVersion("many", i, Optional.of(new byte[10])));
    }
    counting.take(new TraceVersion("one", 50, Optional.of(new byte[34])));
    counting.take(new TraceVersion("two", 3, Optional.of(new byte[10])));
    counting.take(TraceVersion.removed("two", 4));

    TraceSummary summary = counting.summary();

    assertThat(summary.keys()).isEqualTo(3);
    assertThat(summary.versions()).isEqualTo(15);
    assertThat(summary.removals()).isEqualTo(1);
    assertThat(summary.payloadBytes()).isEqualTo(164);
    assertThat(summary.meanBytes()).isEqualTo(11.7);
    assertThat(summary.largestValueBytes()).isEqualTo(34);
    assertThat(summary.mostVersionsKey()).isEqualTo("many");
    assertThat(summary.least()).isEqualTo(1);
    assertThat(summary.largest()).isEqualTo(50);
    assertThat(new ArrayList<>(summary.versionsPerKey()))
        .extracting(TraceSummary.Bin::from, TraceSummary.Bin::to, TraceSummary.Bin::keys)
        .containsExactly(tuple(1L, 1L, 1L), tuple(2L, 9L, 1L), tuple(10L, 99L, 1L));
  }

  @Test
  void aSummaryOfNothingIsAllZeros() {
    TraceSummary summary = new TraceSummary.Counting().summary();

    assertThat(summary.keys()).isZero();
    assertThat(summary.versionsPerKey()).isEmpty();
    assertThat(summary.largest()).isZero();
  }
}
