package io.ensemble.objects.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** In each process, one client puts values into a queue, and another takes values from it. */
final class QueueWorkload extends SynchronizerWorkload {

  private record Value(int by, int number) {}

  private final List<Value> put = Collections.synchronizedList(new ArrayList<>());
  private final List<List<Value>> taken = new ArrayList<>();

  private final String object;

  private QueueWorkload(String run) {
    super("queue");
    object = "queue" + run;
  }

  static QueueWorkload of(List<Synchronizers> processes, String run) {
    QueueWorkload play = new QueueWorkload(run);
    for (Synchronizers process : processes) {
      SharedQueue<Value> queue = process.queue(play.object, Value.class, 20);
      int by = processes.indexOf(process);
      int[] number = {0};
      play.client(
          () -> {
            Value value = new Value(by, number[0]++);
            boolean had = queue.enqueue(value);
            if (had) {
              play.put.add(value);
            }
            return had;
          });
      List<Value> own = Collections.synchronizedList(new ArrayList<>());
      play.taken.add(own);
      play.client(
          () -> {
            Optional<Value> value = queue.take(Duration.ofSeconds(1));
            value.ifPresent(own::add);
            return value.isPresent();
          });
    }
    return play;
  }

  @Override
  void judge(Synchronizers afterwards) {
    for (List<Value> one : taken) {
      Map<Integer, Integer> last = new HashMap<>();
      for (Value value : one) {
        Integer before = last.put(value.by, value.number);
        assertThat(value.number).isGreaterThan(before == null ? -1 : before);
      }
    }
    List<Value> out = new ArrayList<>();
    taken.forEach(out::addAll);
    out.addAll(afterwards.queue(object, Value.class, 20).snapshot());
    assertThat(out).doesNotHaveDuplicates();
    List<Value> lost = new ArrayList<>(put);
    lost.removeAll(out);
    assertThat(lost.size()).as("lost %s", lost).isLessThanOrEqualTo(unknown());
    out.removeAll(put);
    assertThat(out.size()).as("from nowhere %s", out).isLessThanOrEqualTo(unknown());
  }
}
