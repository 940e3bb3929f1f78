package io.ensemble.simulation.weak;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.weak.WeakHistory.Excuse;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class WeakRunTest {

  @Test
  void aRunThatLostAWriteLeavesItsRecords() throws Exception {
    RandomFaults none = new RandomFaults(MessageFaults.reliable(), 0, false, 0);
    WeakRun run = new WeakRun(7, none, WeakOptions.DEFAULTS, 2, 5);
    run.work();
    Bytes key = Bytes.of("k0".getBytes(UTF_8));
    Stamp last = new Stamp(Long.MAX_VALUE, new WriterId(1, 1));
    run.history().issued("c9", key, Bytes.of("planted".getBytes(UTF_8)));
    run.history().ended("c9", key, new WriteOutcome.Applied<>(null, last, true));

    Throwable failure =
        catchThrowable(() -> run.requirePromiseKept(Excuse.NONE, WeakRunTest.class));

    assertThat(failure).isInstanceOf(AssertionError.class).hasMessageContaining("seed 7");
    Path kept = Path.of(failure.getMessage().replaceAll("(?s).*\nrecords: ", ""));
    try {
      assertThat(kept.getFileName().toString()).startsWith("WeakRunTest-7");
      assertThat(Files.readString(kept))
          .startsWith("seed=7 ")
          .contains("violation: lost; ", "rome ends with k0: ", "c9 writes k0: planted")
          .containsPattern("c[0-3] (writes|reads) k[01]: ");
    } finally {
      Files.delete(kept);
    }
  }
}
