package io.ensemble.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore.Scan;
import io.ensemble.site.SiteStore.Scan.Item;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class BoundedSiteTest {

  private static final Bytes KEY = Bytes.of((byte) 1);

  private final TestClockScheduler scheduler = new TestClockScheduler();
  private final List<String> calls = new ArrayList<>();
  private final List<CompletableFuture<Object>> answers = new ArrayList<>();
  private final BoundedSite site =
      new BoundedSite(fake(Site.class), new SiteLimits(4, 4, Duration.ofMillis(500)), scheduler);

  /** Records each call, which the test answers later; a scan is returned immediately. */
  private <T> T fake(Class<T> type) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("name") || method.getName().equals("site")) {
                return "lyon";
              }
              if (method.getName().equals("nodeOf")) { // Store "a/s" is at node "a/".
                String store = (String) arguments[0];
                return store.substring(0, store.indexOf('/') + 1);
              }
              calls.add(method.getName());
              if (method.getReturnType() == Scan.class) {
                return fake(Scan.class);
              }
              if (method.getReturnType() != CompletionStage.class) {
                return null;
              }
              CompletableFuture<Object> answer = new CompletableFuture<>();
              answers.add(answer);
              return answer;
            });
    return type.cast(proxy);
  }

  private Deadline in(long millis) {
    return Deadline.after(Duration.ofMillis(millis), scheduler);
  }

  private void answer(Object value) {
    answers.get(answers.size() - 1).complete(value);
  }

  private SiteStore store() {
    return store("s");
  }

  private SiteStore store(String name) {
    CompletableFuture<SiteStore> opened =
        site.open(name, StoreKind.PLAIN, in(100)).toCompletableFuture();
    answer(fake(SiteStore.class));
    return opened.join();
  }

  @Test
  void eachCallGoesThroughOnceWithItsAnswer() {
    SiteStore store = store();

    CompletionStage<Optional<StoredEntry>> read = store.read(KEY, in(100));
    answer(Optional.empty());
    CompletionStage<Boolean> putIfAbsent = store.putIfAbsent(KEY, KEY, in(100));
    answer(true);
    CompletionStage<Boolean> replace = store.replace(KEY, 1, KEY, in(100));
    answer(false);
    CompletionStage<Boolean> remove = store.remove(KEY, 1, in(100));
    answer(true);
    CompletionStage<Void> put = store.put(KEY, KEY, in(100));
    answer(null);
    CompletionStage<Optional<Bytes>> getAndPut = store.getAndPut(KEY, KEY, in(100));
    answer(Optional.of(KEY));

    assertThat(calls)
        .containsExactly("open", "read", "putIfAbsent", "replace", "remove", "put", "getAndPut");
    assertThat(read.toCompletableFuture().join()).isEmpty();
    assertThat(putIfAbsent.toCompletableFuture().join()).isTrue();
    assertThat(replace.toCompletableFuture().join()).isFalse();
    assertThat(remove.toCompletableFuture().join()).isTrue();
    assertThat(put.toCompletableFuture()).isCompletedWithValue(null);
    assertThat(getAndPut.toCompletableFuture().join()).contains(KEY);
    assertThat(site.inFlight()).isZero();
  }

  @Test
  void aNodeThatIsSilentIsNoReasonToSendLessToItsPeers() {
    SiteStore silent = store("a/s");
    SiteStore other = store("b/s");
    for (int i = 0; i < CircuitBreaker.FAILURES_TO_SUSPECT; i++) {
      silent.read(KEY, in(100));
      answers
          .get(answers.size() - 1)
          .completeExceptionally(new SiteException("lyon", Reason.UNREACHABLE, "silent"));
    }
    int sent = answers.size();

    assertThat(silent.read(KEY, in(100)).toCompletableFuture()).isCompletedExceptionally();
    assertThat(answers).as("nothing is sent to it").hasSize(sent);

    CompletableFuture<?> read = other.read(KEY, in(100)).toCompletableFuture();
    assertThat(answers).hasSize(sent + 1);
    answer(Optional.empty());
    assertThat(read).isCompleted();
    assertThat(site.health().state()).isEqualTo(SuspicionLevel.State.REACHABLE);
  }

  @Test
  void prioritizedRequestsDoNotWaitBehindDataAndHaveABoundOfTheirOwn() {
    SiteStore store = store();
    for (int i = 0; i < 8; i++) {
      store.put(KEY, KEY, in(400));
    }
    assertThat(site.waiting()).isEqualTo(4);

    List<CompletableFuture<?>> leases = new ArrayList<>();
    for (int i = 0; i < 8 + 1_024 + 1; i++) {
      leases.add(store.prioritized().get(KEY, in(400)).toCompletableFuture());
    }

    assertThat(calls).filteredOn("get"::equals).hasSize(8);
    assertThat(leases.subList(0, 8 + 1_024)).noneMatch(CompletableFuture::isDone);
    assertThat(leases.get(8 + 1_024)).isCompletedExceptionally();
    assertThat(site.inFlight()).isEqualTo(4 + 8);
    answer(Optional.empty());
    assertThat(leases.get(7)).isCompleted();
    assertThat(calls).as("one of a kind makes room for its own kind").endsWith("get");
    answers.get(1).complete(null);
    assertThat(calls).endsWith("put");

    scheduler.passMillis(500);
    assertThat(leases).allMatch(CompletableFuture::isDone);
    assertThat(site.waiting()).isZero();
  }

  @Test
  void requestsEndAtTheLongestTheyMayTakeButCommandsAtTheirDeadline() {
    SiteStore store = store();
    CompletableFuture<?> read = store.read(KEY, in(60_000)).toCompletableFuture();
    CompletableFuture<?> create =
        site.create("t", StoreKind.ACCEPTOR, in(60_000)).toCompletableFuture();

    scheduler.passMillis(499);
    assertThat(read).isNotDone();
    scheduler.passMillis(1);

    assertThat(read).isCompletedExceptionally();
    assertThat(create).isNotDone();
    scheduler.passMillis(59_500);
    assertThat(create).isCompletedExceptionally();
    assertThat(site.inFlight()).isEqualTo(2);
  }

  @Test
  void whatIsNoRequestGoesStraightToTheSite() {
    site.renew();
    site.moved();
    assertThat(site.nodes()).as("as the site says").isNull();

    assertThat(calls).containsExactly("renew", "moved", "nodes");
  }

  @Test
  void figuresThatDoNotComeEndAtTheirDeadline() {
    CompletableFuture<?> figures = site.figures(in(100)).toCompletableFuture();

    scheduler.passMillis(99);
    assertThat(figures).isNotDone();
    scheduler.passMillis(1);

    assertThat(figures).isCompletedExceptionally();
  }

  @Test
  void aBatchThatComesAfterItsCallerLeftGoesToTheNextCall() {
    Scan scan = store().scan(10);
    List<Item> batch = List.of(new Item(KEY, KEY));

    CompletableFuture<?> late = scan.next(in(10)).toCompletableFuture();
    scheduler.passMillis(10);
    assertThat(late).isCompletedExceptionally();
    CompletableFuture<List<Item>> again = scan.next(in(100)).toCompletableFuture();
    answer(batch);

    assertThat(again.join()).isEqualTo(batch);
    CompletableFuture<List<Item>> next = scan.next(in(100)).toCompletableFuture();
    assertThat(next).isNotDone();
    answer(List.of());
    assertThat(next.join()).isEmpty();
    scan.close();
    assertThat(calls).containsExactly("open", "scan", "next", "next", "close");
  }

  @Test
  void aBatchThatFailedIsAskedForAgain() {
    Scan scan = store().scan(10);
    CompletableFuture<?> failed = scan.next(in(10)).toCompletableFuture();
    answers.get(1).completeExceptionally(new IllegalStateException("odd"));
    assertThat(failed).isCompletedExceptionally();

    CompletableFuture<List<Item>> again = scan.next(in(10)).toCompletableFuture();
    answer(List.of());

    assertThat(again.join()).isEmpty();
    assertThat(calls).containsExactly("open", "scan", "next", "next");
  }

  @Test
  void aBatchThatTwoCallsMissedIsAbandonedWithItsScanAndTheThirdCallBeginsAnother() {
    Scan scan = store().scan(10);
    CompletableFuture<List<Item>> batch = scan.next(in(10)).toCompletableFuture();
    answer(List.of(new Item(KEY, KEY)));
    assertThat(batch.join()).hasSize(1);

    assertThat(missed(scan))
        .contains("store=s request=scan batch=2 calls=1 of 2", "reason=TIMED_OUT");
    assertThat(missed(scan)).contains("batch=2 calls=2 of 2");
    assertThat(calls).containsExactly("open", "scan", "next", "next");
    CompletableFuture<Object> lost = answers.get(answers.size() - 1);
    CompletableFuture<List<Item>> third = scan.next(in(10)).toCompletableFuture();
    assertThat(calls).containsExactly("open", "scan", "next", "next", "scan", "close", "next");
    assertThat(site.inFlight()).isEqualTo(1);
    lost.complete(List.of(new Item(KEY, KEY), new Item(KEY, KEY))); // After all callers timed out.

    answer(List.of(new Item(KEY, KEY)));
    assertThat(third.join()).hasSize(1);
    assertThat(site.inFlight()).isZero();
  }

  @Test
  void abandonedScansAreSilenceOfTheSiteAndNoAnswers() {
    Scan scan = store().scan(10);

    for (int call = 0; call <= CircuitBreaker.FAILURES_TO_SUSPECT; call++) {
      assertThat(site.isSuspected()).isFalse();
      assertThat(missed(scan)).contains("reason=TIMED_OUT");
      answers
          .subList(1, answers.size() - 1) // Walks that were closed fail.
          .forEach(former -> former.completeExceptionally(new IllegalStateException("closed")));
    }

    assertThat(site.isSuspected()).isTrue();
    assertThat(site.inFlight()).isEqualTo(1);
  }

  @Test
  void walksThatEndWithErrorsAtTheSamePlaceAreNotBegunForEver() {
    Scan scan = store().scan(10);

    for (int walk = 1; walk <= ResumableScan.MOST_ERRORS; walk++) {
      assertThat(batches(scan, 3)).isEqualTo(3);
      assertThat(failed(scan)).contains("unreadable");
    }

    int before = calls.size();
    assertThat(scan.next(in(10)).toCompletableFuture()).isCompletedExceptionally();
    assertThat(calls).hasSize(before);
  }

  @Test
  void walksThatEndWithErrorsFurtherAndFurtherAreBegunAgain() {
    Scan scan = store().scan(10);

    for (int walk = 1; walk <= 2 * ResumableScan.MOST_ERRORS; walk++) {
      assertThat(batches(scan, walk)).isEqualTo(walk);
      assertThat(failed(scan)).contains("unreadable");
    }

    assertThat(batches(scan, 1)).isEqualTo(1);
  }

  private int batches(Scan scan, int wanted) {
    int got = 0;
    for (int i = 0; i < wanted; i++) {
      CompletableFuture<List<Item>> batch = scan.next(in(10)).toCompletableFuture();
      answer(List.of(new Item(KEY, KEY)));
      got += batch.join().size();
    }
    return got;
  }

  /** The message of a call that the site answers with an error. */
  private String failed(Scan scan) {
    CompletableFuture<List<Item>> batch = scan.next(in(10)).toCompletableFuture();
    SiteException error = new SiteException("lyon", SiteException.Reason.FAILED, "unreadable");
    answers.get(answers.size() - 1).completeExceptionally(error);
    return String.valueOf(batch.handle((items, failure) -> failure.getMessage()).join());
  }

  @Test
  void aScanThatIsClosedBeginsNoOtherWalk() {
    Scan scan = store().scan(10);
    for (int i = 0; i < ResumableScan.MOST_CALLS; i++) {
      assertThat(missed(scan)).contains("reason=TIMED_OUT");
    }

    scan.close();

    assertThat(scan.next(in(10)).toCompletableFuture()).isCompletedExceptionally();
    assertThat(calls).containsExactly("open", "scan", "next", "close");
  }

  /** The message of a call that exceeds its deadline. */
  private String missed(Scan scan) {
    CompletableFuture<List<Item>> late = scan.next(in(10)).toCompletableFuture();
    scheduler.passMillis(10);
    return String.valueOf(late.handle((items, failure) -> failure.getMessage()).join());
  }

  @Test
  void theCallersMistakesAreThrownAtOnceAndNeverReachTheSite() {
    SiteStore store = store();

    assertThatThrownBy(() -> site.create("a\nb", StoreKind.PLAIN, in(10)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a control character in 'a?b'");
    assertThatThrownBy(() -> store.put(KEY, Bytes.of(), in(10)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 1 byte");
    assertThat(calls).containsExactly("open");
  }

  @Test
  void closingClosesTheSiteBehind() {
    CompletableFuture<?> remove = site.remove("s", in(100)).toCompletableFuture();

    site.close();

    assertThat(remove).isCompletedExceptionally();
    assertThat(calls).containsExactly("remove", "close");
  }
}
