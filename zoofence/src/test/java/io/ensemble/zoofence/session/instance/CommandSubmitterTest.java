package io.ensemble.zoofence.session.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;

final class CommandSubmitterTest {
  private static final InstanceSet SET = InstanceSet.of(0, 1);
  private static final InstanceSet OTHER = InstanceSet.of(1, 2);

  private final CommandSubmitter commandSubmitter = new CommandSubmitter();

  /** The commands in flight, and below the callbacks for their replies. */
  private final List<String> sent = new ArrayList<>();

  private final ArrayDeque<Consumer<ZooKeeperReply>> unanswered = new ArrayDeque<>();
  private final List<String> ended = new ArrayList<>();

  private void enter(InstanceSet set, String command) {
    commandSubmitter.submit(
        set,
        (begins, then) -> {
          sent.add(begins ? "begin, " + command : command);
          unanswered.add(then);
        },
        reply ->
            ended.add(
                command + (reply == CommandSubmitter.AGAIN ? " again" : " " + reply.error())));
  }

  private void answer(ZooKeeperReply reply) {
    unanswered.remove().accept(reply);
  }

  @Test
  void nothingPassesTheFirstCommandOfAQueueThatMayNotBeThere() {
    enter(SET, "a");
    enter(SET, "b");
    enter(SET, "c");
    enter(OTHER, "d");
    assertThat(sent).containsExactly("begin, a", "begin, d");

    answer(ZooKeeperReply.done());

    assertThat(sent).containsExactly("begin, a", "begin, d", "b", "c");
    enter(SET, "e");
    assertThat(sent).endsWith("c", "e");
  }

  @Test
  void whoWaitedBehindOneThatFoundNoQueueGoesAgainBehindIt() {
    enter(SET, "a");
    enter(SET, "b");

    answer(ZooKeeperReply.failed(Code.NONODE));

    assertThat(ended).containsExactly("a again", "b again");
    enter(SET, "a");
    enter(SET, "b");
    assertThat(sent).containsExactly("begin, a", "begin, a");
  }

  @Test
  void behindACommandThatFailedTheNextTriesAlone() {
    enter(SET, "a");
    enter(SET, "b");
    enter(SET, "c");

    answer(ZooKeeperReply.failed(Code.OPERATIONTIMEOUT));

    assertThat(ended).containsExactly("a " + Code.OPERATIONTIMEOUT.intValue());
    assertThat(sent).containsExactly("begin, a", "begin, b");
    answer(ZooKeeperReply.done());
    assertThat(sent).containsExactly("begin, a", "begin, b", "c");
  }

  @Test
  void noCommandIsSentBehindOneThatMayHaveArrived() {
    enter(SET, "a");
    enter(SET, "b");

    answer(ZooKeeperReply.failed(Code.CONNECTIONLOSS));

    int lost = Code.CONNECTIONLOSS.intValue();
    assertThat(ended).containsExactly("a " + lost, "b " + lost);
    assertThat(sent).containsExactly("begin, a");
  }

  @Test
  void aQueueThatIsKnownTakesManyAtATime() {
    enter(SET, "a");
    answer(ZooKeeperReply.done());

    enter(SET, "b");
    enter(SET, "c");

    assertThat(sent).containsExactly("begin, a", "b", "c");
    answer(ZooKeeperReply.failed(Code.NONODE));
    answer(ZooKeeperReply.failed(Code.NONODE));
    assertThat(ended).containsExactly("a 0", "b again", "c again");
  }
}
