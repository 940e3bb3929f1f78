package io.ensemble.primary;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sites 0, the primary, 1 and 2; answers that come when the operation is over. */
class OperationEndTest {

  private static final Shown<String> AT_PRIMARY =
      new Shown<>(new Copy<>(new Mark(1, 1), true, Stamp.NONE, "old"), 7);
  private static final Shown<String> ELSEWHERE = new Shown<>(Copy.absent(), 0);

  private final Operation<String, String> write =
      Operation.write(
          new Setting(3, 0, 1, 1, true),
          current -> Decision.write("new", current),
          new Sequences(new WriterId(1, 2), last -> last + 1));
  private final List<Request<String>> reads = write.start();

  @Test
  void aWriteThatToldItHadNoEffectWritesNothingAnyMore() {
    write.onRead(0, reads.get(0).tag(), AT_PRIMARY);

    assertThat(write.expire()).isInstanceOf(Outcome.Refused.class);

    assertThat(write.onRead(1, reads.get(1).tag(), ELSEWHERE)).isEmpty();
  }

  @Test
  void aWriteThatMayHaveHadOneStillGoesToSitesThatAreLate() {
    write.onRead(0, reads.get(0).tag(), AT_PRIMARY);
    assertThat(write.onRead(1, reads.get(1).tag(), ELSEWHERE)).hasSize(1);

    assertThat(write.expire()).isInstanceOf(Outcome.Unknown.class);

    assertThat(write.onRead(2, reads.get(2).tag(), ELSEWHERE)).hasSize(1);
  }
}
