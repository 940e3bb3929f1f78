package io.ensemble.benchmarks.versions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.testkit.trace.SyntheticTrace;
import io.ensemble.testkit.trace.TraceHeader;
import io.ensemble.testkit.trace.TraceRead;
import io.ensemble.testkit.trace.TraceVersion;
import io.ensemble.testkit.trace.TraceWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reads of a replay are those of the trace, or have the shares of the paper. */
class ReadChooserTest {

  private static final SplittableRandom RANDOM = new SplittableRandom(1);

  private static TraceVersion version(String key, long version) {
    return new TraceVersion(key, version, Optional.of(new byte[10]));
  }

  @Test
  void readsOfTheTraceComeInTheirOrder(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("trace.jsonl");
    try (TraceWriter trace = TraceWriter.to(file, new TraceHeader("wikibench", "test"))) {
      trace.take(version("home", 1));
      trace.read(new TraceRead("home", 1, TraceRead.Kind.LATEST));
      trace.take(version("about", 2));
      trace.read(new TraceRead("about", 2, TraceRead.Kind.HISTORY));
      trace.read(new TraceRead("home", 2, TraceRead.Kind.OLD));
    }

    ReadChooser chooser = ReadChooser.traced(TraceHistories.read(file));

    assertThat(Stream.generate(() -> chooser.next(RANDOM)).limit(4))
        .extracting(read -> read.history().key() + " " + read.kind())
        .containsExactly("home LATEST", "about HISTORY", "home OLD", "home LATEST");
  }

  @Test
  void readsOfKeysThatAreLeftOutAreLeftOut() {
    TraceHistories all = TraceHistories.of("t", SyntheticTrace.of(2, 1));
    TraceHistories some =
        new TraceHistories(
            "t",
            all.keys().subList(0, 1),
            List.of(
                new TraceRead(all.keys().get(1).key(), 1, TraceRead.Kind.LATEST),
                new TraceRead(all.keys().get(0).key(), 1, TraceRead.Kind.OLD)),
            1);

    assertThat(ReadChooser.traced(some).next(RANDOM).history()).isEqualTo(all.keys().get(0));
  }

  @Test
  void aTraceWithoutReadsIsRefused() {
    TraceHistories histories = TraceHistories.of("made up", SyntheticTrace.of(2, 1));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> ReadChooser.traced(histories))
        .withMessageContaining("./ensemble trace wikibench")
        .withMessageContaining("trace=made up");
  }

  @Test
  void otherwiseTheSharesAreThoseOfThePaper() {
    ReadChooser chooser =
        ReadChooser.weighted(TraceHistories.of("t", SyntheticTrace.of(9, 1)), 0.1, 0.2);

    List<TraceRead.Kind> kinds =
        Stream.generate(() -> chooser.next(RANDOM).kind()).limit(10_000).toList();

    assertThat(kinds.stream().filter(TraceRead.Kind.OLD::equals).count()).isBetween(800L, 1_200L);
    assertThat(kinds.stream().filter(TraceRead.Kind.HISTORY::equals).count())
        .isBetween(1_800L, 2_200L);
  }
}
