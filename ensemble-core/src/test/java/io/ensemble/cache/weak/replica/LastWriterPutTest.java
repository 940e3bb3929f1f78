package io.ensemble.cache.weak.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.weak.WeakCacheFixture;
import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.envelope.Envelope;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class LastWriterPutTest {

  private static final Bytes KEY = WeakCacheFixture.key("k");
  private static final Deadline DEADLINE = new Deadline(0);

  /** How one writer writes at one site. */
  private interface Rule {
    CompletionStage<?> write(SiteStore store, StampedEntry entry);
  }

  private static final Rule OURS =
      (store, entry) -> LastWriterPut.into(store, KEY, entry, DEADLINE, found -> {});

  private static final Rule NO_PUT_BACK =
      (store, entry) -> store.getAndPut(KEY, entry.stored(), DEADLINE);

  /** Compares times only, so two writes of different writers at one time count as equal. */
  private static final Rule NO_TIE_BREAK =
      (store, entry) ->
          store
              .getAndPut(KEY, entry.stored(), DEADLINE)
              .thenCompose(
                  before -> {
                    boolean newer =
                        before.isPresent()
                            && StampedEntry.of(before.get()).stamp().micros()
                                > entry.stamp().micros();
                    return newer
                        ? store.getAndPut(KEY, before.get(), DEADLINE)
                        : CompletableFuture.completedFuture(before);
                  });

  /** Puts back once, and ignores the entry that this displaces. */
  private static final Rule ONE_PUT_BACK =
      (store, entry) ->
          store
              .getAndPut(KEY, entry.stored(), DEADLINE)
              .thenCompose(
                  before ->
                      before.isPresent() && StampedEntry.of(before.get()).isNewerThan(entry)
                          ? store.getAndPut(KEY, before.get(), DEADLINE)
                          : CompletableFuture.completedFuture(before));

  @Test
  void theHighestStampStaysInEveryOrderOfArrival() {
    for (int writers = 1; writers <= 5; writers++) {
      assertThat(ordersThatEndWrong(OURS, stamps(writers))).isZero();
    }
    assertThat(ordersThatEndWrong(OURS, sameTime(4))).isZero();
  }

  @Test
  void withoutPuttingBackSomeOrderEndsWrong() {
    assertThat(ordersThatEndWrong(NO_PUT_BACK, stamps(2))).isPositive();
  }

  @Test
  void withoutTheWriterSomeOrderEndsWrong() {
    assertThat(ordersThatEndWrong(NO_TIE_BREAK, sameTime(2))).isPositive();
  }

  @Test
  void puttingBackOnceIsNotEnough() {
    assertThat(ordersThatEndWrong(ONE_PUT_BACK, stamps(2))).isZero();
    assertThat(ordersThatEndWrong(ONE_PUT_BACK, stamps(4))).isPositive();
  }

  @Test
  void writingTheSameAgainChangesNothing() {
    Site site = new Site();
    StampedEntry entry = held(7, 1);

    CompletionStage<LastWriterPut.Result> first =
        LastWriterPut.into(site.store, KEY, entry, DEADLINE, found -> {});
    site.perform(0);
    CompletionStage<LastWriterPut.Result> again =
        LastWriterPut.into(site.store, KEY, entry, DEADLINE, found -> {});
    site.perform(0);

    assertThat(first).isCompletedWithValue(LastWriterPut.Result.STANDS);
    assertThat(again).isCompletedWithValue(LastWriterPut.Result.STANDS);
    assertThat(site.requests).isEmpty();
  }

  @Test
  void whatCannotBePutBackIsHandedOver() {
    Site site = new Site();
    site.entry = held(9, 1).stored();

    CompletionStage<LastWriterPut.Result> result =
        LastWriterPut.into(site.store, KEY, held(7, 1), DEADLINE, found -> {});
    site.perform(0);
    site.requests.remove(0).answer.completeExceptionally(new IllegalStateException("lost"));

    assertThat(result).isCompletedWithValue(new LastWriterPut.Result(held(9, 1), false));
  }

  private static int ordersThatEndWrong(Rule rule, List<StampedEntry> entries) {
    StampedEntry highest = entries.get(entries.size() - 1);
    int wrong = 0;
    List<Integer> choices = new ArrayList<>();
    do {
      Site site = new Site();
      entries.forEach(entry -> rule.write(site.store, entry));
      List<Integer> widths = new ArrayList<>();
      for (int step = 0; !site.requests.isEmpty(); step++) {
        if (choices.size() <= step) {
          choices.add(0);
        }
        widths.add(site.requests.size());
        site.perform(choices.get(step));
      }
      wrong += highest.stored().equals(site.entry) ? 0 : 1;
      choices = nextChoices(choices, widths);
    } while (!choices.isEmpty());
    return wrong;
  }

  /** The next path through the tree of choices, depth first; empty at the end. */
  private static List<Integer> nextChoices(List<Integer> choices, List<Integer> widths) {
    for (int step = widths.size() - 1; step >= 0; step--) {
      if (choices.get(step) + 1 < widths.get(step)) {
        List<Integer> next = new ArrayList<>(choices.subList(0, step));
        next.add(choices.get(step) + 1);
        return next;
      }
    }
    return List.of();
  }

  private static List<StampedEntry> stamps(int number) {
    List<StampedEntry> entries = new ArrayList<>();
    for (int i = 1; i <= number; i++) {
      entries.add(held(i, 1));
    }
    return entries;
  }

  private static List<StampedEntry> sameTime(int number) {
    List<StampedEntry> entries = new ArrayList<>();
    for (int i = 1; i <= number; i++) {
      entries.add(held(1, i));
    }
    return entries;
  }

  private static StampedEntry held(long micros, long writer) {
    Stamp stamp = new Stamp(micros, new WriterId(0, writer));
    return StampedEntry.of(Envelope.of(stamp, WeakCacheFixture.bytes("v"), 0));
  }

  private record Request(Bytes value, CompletableFuture<Optional<Bytes>> answer) {}

  /** One entry, and swaps that wait to be performed. */
  private static final class Site {

    final List<Request> requests = new ArrayList<>();
    Bytes entry;

    final SiteStore store =
        (SiteStore)
            Proxy.newProxyInstance(
                LastWriterPutTest.class.getClassLoader(),
                new Class<?>[] {SiteStore.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("getAndPut");
                  Request request = new Request((Bytes) arguments[1], new CompletableFuture<>());
                  requests.add(request);
                  return request.answer();
                });

    void perform(int index) {
      Request request = requests.remove(index);
      Optional<Bytes> before = Optional.ofNullable(entry);
      entry = request.value();
      request.answer().complete(before);
    }
  }
}
