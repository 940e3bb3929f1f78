package io.ensemble.objects.sync;

import static io.ensemble.objects.sync.InMemoryProcesses.soon;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class SharedValuesTest {

  /** A class as a user would write it. */
  public record Place(String town, List<Integer> numbers) {}

  private final InMemoryProcesses processes = new InMemoryProcesses();
  private final Synchronizers here = processes.one().synchronizers();
  private final Synchronizers there = processes.one().synchronizers();

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void countersCount() throws Exception {
    SharedCounter counter = here.counter("counter");
    SharedCounter other = there.counter("counter");

    assertThat(counter.get()).isZero();
    assertThat(counter.incrementAndGet()).isEqualTo(1);
    assertThat(other.addAndGet(10)).isEqualTo(11);
    assertThat(counter.getAndAdd(-1)).isEqualTo(11);
    assertThat(other.decrementAndGet()).isEqualTo(9);
    assertThat(counter.compareAndSet(8, 1)).isFalse();
    assertThat(counter.compareAndSet(9, 5)).isTrue();
    assertThat(other.getAndSet(7)).isEqualTo(5);
    assertThat(soon(counter.incrementAndGetAsync())).isEqualTo(8);
    assertThat(soon(other.compareAndSetAsync(8, 2))).isTrue();
    counter.set(3);
    assertThat(soon(other.getAsync())).isEqualTo(3);
  }

  @Test
  void aCounterStaysInItsBounds() throws Exception {
    SharedCounter.Bounds bounds = new SharedCounter.Bounds(-1, 2);
    SharedCounter counter = here.counter("bounded", bounds);
    assertThat(counter.addAndGet(2)).isEqualTo(2);

    assertThatThrownBy(counter::incrementAndGet)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("[-1, 2]");
    assertThatThrownBy(() -> counter.set(-2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> counter.compareAndSet(2, 3)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> counter.addAndGet(Long.MAX_VALUE))
        .isInstanceOf(IllegalStateException.class);
    assertThat(counter.compareAndSet(1, 3)).isFalse();
    assertThat(counter.get()).isEqualTo(2);

    SharedCounter other = there.counter("bounded");
    assertThat(other.bounds()).isEqualTo(bounds);
    assertThatThrownBy(other::incrementAndGet).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> there.counter("bounded", new SharedCounter.Bounds(0, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bounded");
    assertThat(here.counter("positive", new SharedCounter.Bounds(5, 9)).get()).isEqualTo(5);
    assertThat(here.counter("free").bounds().max()).isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(() -> new SharedCounter.Bounds(2, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void referencesAndRegistersHoldOneValueOrNone() throws Exception {
    SharedReference<Place> reference = here.reference("reference", Place.class);
    SharedReference<Place> other = there.reference("reference", Place.class);
    Place lyon = new Place("Lyon", List.of(1, 2));
    Place oslo = new Place("Oslo", List.of());

    assertThat(reference.get()).isNull();
    reference.set(lyon);
    assertThat(other.get()).isEqualTo(lyon);
    assertThat(other.compareAndSet(oslo, null)).isFalse();
    assertThat(other.compareAndSet(new Place("Lyon", List.of(1, 2)), oslo)).isTrue();
    assertThat(reference.getAndSet(null)).isEqualTo(oslo);
    assertThat(soon(other.compareAndSetAsync(null, lyon))).isTrue();

    SharedRegister<String> register = here.register("register", String.class);
    assertThat(register.compareAndSwap(null, "a")).isNull();
    assertThat(register.compareAndSwap(null, "b")).isEqualTo("a");
    assertThat(soon(register.compareAndSwapAsync("a", "c"))).isEqualTo("a");
    register.write("d");
    assertThat(there.register("register", String.class).read()).isEqualTo("d");
  }

  @Test
  void mapsMap() throws Exception {
    SharedMap<String, Place> map = here.map("map", String.class, Place.class);
    SharedMap<String, Place> other = there.map("map", String.class, Place.class);
    Place one = new Place("one", List.of(1));
    Place two = new Place("two", List.of(2));

    assertThat(map.put("a", one)).isNull();
    assertThat(other.putIfAbsent("a", two)).isEqualTo(one);
    assertThat(other.replace("b", two)).isNull();
    assertThat(other.replace("a", two)).isEqualTo(one);
    assertThat(map.replaceIf("a", one, one)).isFalse();
    assertThat(map.replaceIf("a", two, one)).isTrue();
    assertThat(map.containsKey("a")).isTrue();
    map.putAll(Map.of("c", one, "d", two));
    assertThat(soon(other.sizeAsync())).isEqualTo(3);
    assertThat(soon(other.snapshotAsync())).isEqualTo(Map.of("a", one, "c", one, "d", two));
    assertThat(other.removeIf("d", one)).isFalse();
    assertThat(other.remove("d")).isEqualTo(two);
    assertThat(soon(map.getAsync("d"))).isNull();
    soon(map.clearAsync());
    assertThat(other.snapshot()).isEmpty();
    assertThatThrownBy(() -> map.put("a", null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void listsAndSetsKeepWhatTheyAreGiven() throws Exception {
    SharedList<String> list = here.list("list", String.class);
    assertThat(list.add("a")).isZero();
    assertThat(soon(list.addAsync("c"))).isEqualTo(1);
    list.insert(1, "b");
    assertThat(there.list("list", String.class).snapshot()).containsExactly("a", "b", "c");
    assertThat(list.set(0, "z")).isEqualTo("a");
    assertThat(list.remove(1)).isEqualTo("b");
    assertThat(list.get(1)).isEqualTo("c");
    assertThat(list.size()).isEqualTo(2);
    assertThatThrownBy(() -> list.get(2)).isInstanceOf(IndexOutOfBoundsException.class);
    list.clear();

    SharedSet<Place> set = here.set("set", Place.class);
    SharedSet<Place> other = there.set("set", Place.class);
    assertThat(set.add(new Place("a", List.of(1)))).isTrue();
    assertThat(other.add(new Place("a", List.of(1)))).isFalse();
    assertThat(soon(other.containsAsync(new Place("a", List.of(2))))).isFalse();
    assertThat(other.snapshot()).containsExactly(new Place("a", List.of(1)));
    assertThat(other.remove(new Place("a", List.of(1)))).isTrue();
    assertThat(set.size()).isZero();
  }

  @Test
  void queuesGiveEachValueOnceInOrder() throws Exception {
    SharedQueue<Integer> queue = here.queue("queue", Integer.class, 2);
    SharedQueue<Integer> other = there.queue("queue", Integer.class, 2);

    assertThat(queue.dequeue()).isNull();
    assertThat(queue.enqueue(1)).isTrue();
    assertThat(other.enqueue(2)).isTrue();
    assertThat(soon(queue.enqueueAsync(3))).isFalse();
    assertThat(queue.peek()).isEqualTo(1);
    assertThat(other.dequeue()).isEqualTo(1);
    assertThat(other.take(Duration.ZERO)).contains(2);
    assertThat(other.take(Duration.ZERO)).isEmpty();
    assertThat(queue.size()).isZero();
  }

  @Test
  void whoWaitsForAQueueGetsWhatComes() throws Exception {
    SharedQueue<Integer> queue = here.queue("queue", Integer.class);
    var waiting = there.queue("queue", Integer.class).takeAsync(Duration.ofHours(1));
    var late = there.queue("queue", Integer.class).takeAsync(Duration.ofSeconds(1));
    assertThat(processes.passUntil(late)).isEmpty();

    queue.enqueue(5);

    assertThat(processes.passUntil(waiting)).isEqualTo(Optional.of(5));
    assertThat(queue.size()).isZero();
  }

  @Test
  void whatComesForWhoHasGoneIsNotLost() throws Exception {
    SharedQueue<Integer> queue = here.queue("queue", Integer.class);
    int left = 0;
    for (int i = 0; i < 50; i++) {
      queue.enqueue(i);
      CompletableFuture<Optional<Integer>> taking =
          queue.takeAsync(Duration.ofHours(1)).toCompletableFuture();
      taking.cancel(false);
      left += taking.isCancelled() ? 1 : 0;
    }

    queue.enqueue(50); // No take is under way after this: cancelled ones return their values.
    left++;
    int wanted = left;
    await("all values are back")
        .pollInterval(5, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> queue.size() >= wanted);

    assertThat(left).isGreaterThan(1);
    assertThat(queue.snapshot()).hasSize(left).doesNotHaveDuplicates();
  }

  /** Runs a task of the test while it is read. */
  public record Watched(int number) {
    private static Runnable reading = () -> {};

    public Watched {
      reading.run();
    }
  }

  @Test
  void whatComesForWhoGoesWhileItIsReadIsNotLost() throws Exception {
    SharedQueue<Watched> queue = here.queue("queue", Watched.class);
    CompletableFuture<Optional<Watched>> taking =
        queue.takeAsync(Duration.ofHours(1)).toCompletableFuture();
    Watched only = new Watched(1);
    Watched.reading = () -> taking.cancel(false);

    there.queue("queue", Watched.class).enqueue(only);

    assertThatThrownBy(() -> taking.get(60, TimeUnit.SECONDS))
        .isInstanceOf(CancellationException.class);
    Watched.reading = () -> {};
    assertThat(queue.take(Duration.ofSeconds(60))).contains(only);
  }

  @Test
  void whoIsInterruptedTakesNothing() throws Exception {
    SharedQueue<Integer> queue = here.queue("queue", Integer.class);
    FencedLock lock = here.lock("lock");
    int there = 0;
    for (int i = 0; i < 100; i++) {
      queue.enqueue(i);
      List<Object> had = Collections.synchronizedList(new ArrayList<>());
      Thread taker =
          new Thread(
              () -> {
                try {
                  queue.take(Duration.ofSeconds(60)).ifPresent(had::add);
                  lock.acquire(Duration.ofSeconds(60)).ifPresent(Grant::close);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      taker.start();
      long until = System.nanoTime() + i * 20_000L;
      while (System.nanoTime() < until) {
        Thread.onSpinWait();
      }
      taker.interrupt();
      taker.join();
      there += had.isEmpty() ? 1 : 0;
    }

    try (Grant grant = lock.acquire(Duration.ofSeconds(5)).orElseThrow()) {
      assertThat(grant.isHeld()).isTrue();
    }
    int wanted = there;
    await("all values are back")
        .pollInterval(5, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> queue.size() >= wanted);
    assertThat(queue.size()).isEqualTo(there);
  }

  @Test
  void whoCombinesNeedNotKnowTheValuesClass() {
    SharedQueue<Place> queue = here.queue("queue", Place.class);
    queue.enqueue(new Place("a", List.of()));

    SharedQueue<Object> elsewhere = there.queue("queue", Object.class);

    assertThat(elsewhere.enqueue("b")).isTrue();
    assertThat(elsewhere.size()).isEqualTo(2);
    assertThatThrownBy(elsewhere::peek).hasMessageContaining("Place");
    assertThat(there.with(Place.class).queue("queue", Object.class).peek())
        .isEqualTo(new Place("a", List.of()));
  }

  @Test
  void mistakesAreTold() {
    here.counter("counter");
    here.semaphore("semaphore", 3);

    assertThatThrownBy(() -> there.lock("counter"))
        .isInstanceOf(AtomicObjectException.OtherType.class);
    assertThatThrownBy(() -> there.semaphore("semaphore", 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("exists with 3 and cannot be opened with 4");
    assertThatThrownBy(() -> here.semaphore("other", 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> here.semaphore("semaphore", 3).acquire(4, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> here.lease(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> here.list("list", int.class))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
