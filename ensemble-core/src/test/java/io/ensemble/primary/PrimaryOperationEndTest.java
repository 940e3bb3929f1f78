package io.ensemble.primary;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers that arrive after an operation has ended; of three sites, site 0 is the primary. */
class PrimaryOperationEndTest {

  private static final VersionedCopy<String> AT_PRIMARY =
      new VersionedCopy<>(new Copy<>(new CopyPosition(1, 1), true, Stamp.NONE, "old"), 7);
  private static final VersionedCopy<String> ELSEWHERE = new VersionedCopy<>(Copy.absent(), 0);

  private final PrimaryOperation<String, String> write =
      PrimaryOperation.write(
          new TermContext(3, 0, 1, 1, true),
          current -> Decision.write("new", current),
          new SequenceGenerator(new WriterId(1, 2), last -> last + 1));
  private final List<PrimaryRequest<String>> reads = write.start();

  @Test
  void aWriteThatToldItHadNoEffectWritesNothingAnyMore() {
    write.onRead(0, reads.get(0).tag(), AT_PRIMARY);

    assertThat(write.expire()).isInstanceOf(PrimaryOutcome.Refused.class);

    assertThat(write.onRead(1, reads.get(1).tag(), ELSEWHERE)).isEmpty();
  }

  @Test
  void aWriteThatMayHaveHadOneStillGoesToSitesThatAreLate() {
    write.onRead(0, reads.get(0).tag(), AT_PRIMARY);
    assertThat(write.onRead(1, reads.get(1).tag(), ELSEWHERE)).hasSize(1);

    assertThat(write.expire()).isInstanceOf(PrimaryOutcome.Unknown.class);

    assertThat(write.onRead(2, reads.get(2).tag(), ELSEWHERE)).hasSize(1);
  }
}
