package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Test;

final class TransactionMergerTest {
  private final List<List<String>> sent = new ArrayList<>();
  private final ArrayDeque<Consumer<Boolean>> unanswered = new ArrayDeque<>();
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final List<String> ended = new ArrayList<>();
  private final TransactionMerger merger =
      new TransactionMerger(
          (operations, callback) -> {
            sent.add(operations.stream().map(Op::getPath).toList());
            unanswered.add(callback);
          },
          tasks::add);

  private void submit(String path) {
    submit(path, new byte[0]);
  }

  private void submit(String path, byte[] data) {
    merger.submit(
        List.of(Op.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)),
        () -> ended.add("done " + path),
        () -> ended.add("alone " + path));
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  /** Fills the transactions that may be in flight before others wait. */
  private void fill() {
    for (int i = 0; i < TransactionMerger.FREE_IN_FLIGHT; i++) {
      submit("/" + i);
      runTasks();
    }
    assertThat(sent).hasSize(TransactionMerger.FREE_IN_FLIGHT);
    sent.clear();
  }

  @Test
  void transactionsOfOneTaskAreSentTogether() {
    submit("/a");
    submit("/b");
    assertThat(sent).isEmpty();

    runTasks();
    unanswered.remove().accept(true);

    assertThat(sent).containsExactly(List.of("/a", "/b"));
    assertThat(ended).containsExactly("done /a", "done /b");
  }

  @Test
  void eachMemberOfAFailedTransactionIsSentByItself() {
    submit("/a");
    submit("/b");
    runTasks();

    unanswered.remove().accept(false);

    assertThat(ended).containsExactly("alone /a", "alone /b");
  }

  @Test
  void transactionsWaitWhileEnoughIsInFlight() {
    fill();
    submit("/a");
    submit("/b");
    runTasks();
    assertThat(sent).isEmpty();

    unanswered.remove().accept(true);

    assertThat(sent).containsExactly(List.of("/a", "/b"));
  }

  @Test
  void noMoreThanAFullTransactionWaits() {
    fill();
    for (int i = 0; i < TransactionMerger.MAX_MEMBERS + 1; i++) {
      submit("/w" + i);
    }
    runTasks();

    assertThat(sent).hasSize(1);
    assertThat(sent.get(0)).hasSize(TransactionMerger.MAX_MEMBERS);
  }

  @Test
  void aTransactionHasABound() {
    byte[] half = new byte[(int) TransactionMerger.MAX_BYTES / 2 + 1];
    submit("/a", half);
    submit("/b", half);
    submit("/c");
    runTasks();

    assertThat(sent).containsExactly(List.of("/a"), List.of("/b", "/c"));
  }

  @Test
  void allThatWaitsIsSentBeforeALaterRequest() {
    fill();
    submit("/a");

    merger.flush();

    assertThat(sent).containsExactly(List.of("/a"));
  }

  @Test
  void nothingIsSentAfterTheEnd() {
    submit("/a");

    merger.close();
    runTasks();

    assertThat(sent).isEmpty();
    assertThat(ended).isEmpty();
  }

  @Test
  void membersOfATransactionThatFailsAfterTheEndAreNotSent() {
    submit("/a");
    submit("/b");
    runTasks();

    merger.close();
    unanswered.remove().accept(false);

    assertThat(ended).as("a later leader decides").isEmpty();
  }
}
