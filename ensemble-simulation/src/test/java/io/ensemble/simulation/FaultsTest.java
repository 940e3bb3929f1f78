package io.ensemble.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Every kind of fault occurs, has its effect, and is counted. */
class FaultsTest {

  private static final Bytes KEY = Bytes.of((byte) 1);
  private static final Bytes ONE = Bytes.of((byte) 11);
  private static final Duration LONG = Duration.ofSeconds(5);
  private static final MessageFaults CALM = MessageFaults.reliable();

  private SimFederation federation = with(SimFaultPlan.none());
  private SimClient client;
  private SiteStore oslo;

  private SimFederation with(SimFaultPlan plan) {
    federation = SimFederation.builder().clients(2).seed(9).plan(plan).inFlight(40).build();
    federation.createStore("store", StoreKind.PLAIN);
    client = federation.clients().get(0);
    oslo = federation.stores(client, "store", StoreKind.PLAIN).get("oslo");
    return federation;
  }

  private Deadline in(long millis) {
    return Deadline.after(Duration.ofMillis(millis), client.scheduler());
  }

  /** The answer to a request, or the reason of its failure. */
  private Object outcome(CompletionStage<?> stage) {
    return federation.get(
        stage.handle(
            (answer, failure) ->
                failure == null
                    ? (Object) String.valueOf(answer)
                    : ((SiteException) unwrapped(failure)).reason()),
        LONG);
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  private boolean osloHoldsTheKey() {
    return federation.contents("oslo", "store").orElseThrow().containsKey(KEY);
  }

  private long count(SimFaultKind kind) {
    return federation.trace().count(kind);
  }

  @Test
  void aLostRequestIsNotPerformed() {
    with(SimFaultPlan.of(CALM.withRequestLost(1)));

    assertThat(outcome(oslo.putIfAbsent(KEY, ONE, in(90)))).isEqualTo(Reason.TIMED_OUT);
    assertThat(osloHoldsTheKey()).isFalse();
    assertThat(count(SimFaultKind.REQUEST_LOST)).isEqualTo(1);
    assertThat(count(SimFaultKind.TIMED_OUT)).isEqualTo(1);
  }

  @Test
  void aLostReplyLeavesTheRequestPerformed() {
    with(SimFaultPlan.of(CALM.withReplyLost(1)));

    assertThat(outcome(oslo.putIfAbsent(KEY, ONE, in(90)))).isEqualTo(Reason.TIMED_OUT);
    assertThat(osloHoldsTheKey()).isTrue();
    assertThat(count(SimFaultKind.REPLY_LOST)).isEqualTo(1);
  }

  @Test
  void aBrokenConnectionIsNoticedBeforeTheDeadline() {
    with(SimFaultPlan.of(CALM.withReplyLost(1).withNoticed(1)));

    assertThat(outcome(oslo.putIfAbsent(KEY, ONE, in(900)))).isEqualTo(Reason.UNREACHABLE);
    assertThat(client.scheduler().nanos()).isLessThan(100_000_000);
    assertThat(osloHoldsTheKey()).isTrue();
  }

  @Test
  void aDuplicatedCompareAndSetIsAnsweredByEither() {
    with(SimFaultPlan.of(CALM.withDuplicated(1)));
    List<Object> answers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      answers.add(outcome(oslo.putIfAbsent(Bytes.of((byte) i), ONE, in(900))));
    }

    assertThat(answers).containsOnly("true", "false").contains("true", "false");
    assertThat(federation.contents("oslo", "store").orElseThrow()).hasSize(100);
    assertThat(count(SimFaultKind.REQUEST_DUPLICATED)).isEqualTo(100);
  }

  @Test
  void aSiteMayDenyWhatItDid() {
    with(SimFaultPlan.of(CALM.withDenied(1)));

    assertThat(outcome(oslo.putIfAbsent(KEY, ONE, in(900)))).isEqualTo("false");
    assertThat(osloHoldsTheKey()).isTrue();
    assertThat(count(SimFaultKind.DENIED)).isEqualTo(1);
  }

  @Test
  void messagesOvertakeEachOther() {
    for (int i = 0; i < 30; i++) {
      oslo.put(KEY, Bytes.of((byte) i), in(900));
    }
    federation.run(LONG);

    assertThat(count(SimFaultKind.REORDERED)).isPositive();
  }

  @Test
  void aCutOfRequestsStopsThemUntilItIsHealed() {
    federation.inject(new Fault.Cut("c0", "oslo", true, false));

    assertThat(outcome(oslo.put(KEY, ONE, in(90)))).isEqualTo(Reason.TIMED_OUT);
    assertThat(osloHoldsTheKey()).isFalse();
    assertThat(count(SimFaultKind.CUT)).isEqualTo(1);
    assertThat(count(SimFaultKind.REQUEST_CUT)).isEqualTo(1);
    federation.inject(new Fault.Heal("c0", "oslo"));
    assertThat(outcome(oslo.put(KEY, ONE, in(90)))).isEqualTo("null");
  }

  @Test
  void aCutOfRepliesLetsRequestsThrough() {
    federation.inject(new Fault.Cut("c0", "oslo", false, true));

    assertThat(outcome(oslo.put(KEY, ONE, in(90)))).isEqualTo(Reason.TIMED_OUT);
    assertThat(osloHoldsTheKey()).isTrue();
    assertThat(count(SimFaultKind.REPLY_CUT)).isEqualTo(1);
  }

  @Test
  void aCutIsBetweenOneClientAndOneSite() {
    federation.inject(new Fault.Cut("c0", "oslo", true, true));
    SimClient other = federation.clients().get(1);

    assertThat(
            outcome(
                federation
                    .stores(other, "store", StoreKind.PLAIN)
                    .get("oslo")
                    .put(KEY, ONE, in(90))))
        .isEqualTo("null");
    assertThat(
            outcome(
                federation
                    .stores(client, "store", StoreKind.PLAIN)
                    .get("rome")
                    .put(KEY, ONE, in(90))))
        .isEqualTo("null");
  }

  @Test
  void aSlowSiteTakesManyTimesAsLong() {
    outcome(oslo.read(KEY, in(900)));
    long usual = client.scheduler().nanos();
    federation.inject(new Fault.Slow("oslo", 100));
    outcome(oslo.read(KEY, in(4_000)));

    assertThat(client.scheduler().nanos() - usual).isGreaterThan(40_000_000);
    assertThat(usual).isLessThan(40_000_000);
    assertThat(count(SimFaultKind.SITE_SLOW)).isEqualTo(1);
    assertThat(count(SimFaultKind.SLOWED)).isEqualTo(2);
  }

  @Test
  void aPausedSiteHoldsRequestsAndForgetsNothing() {
    with(
        SimFaultPlan.none().down("oslo", LostState.NOTHING, Duration.ZERO, Duration.ofMillis(300)));
    federation.run(Duration.ofMillis(1));

    assertThat(outcome(oslo.put(KEY, ONE, in(900)))).isEqualTo("null");
    assertThat(client.scheduler().nanos()).isGreaterThan(300_000_000);
    assertThat(count(SimFaultKind.SITE_PAUSED)).isEqualTo(1);
    assertThat(count(SimFaultKind.HELD)).isEqualTo(1);
  }

  @Test
  void aCrashedSiteLosesRequestsAndKeepsItsStores() {
    outcome(oslo.put(KEY, ONE, in(90)));
    federation.inject(new Fault.SiteDown("oslo", LostState.REQUESTS));

    assertThat(outcome(oslo.read(KEY, in(90)))).isEqualTo(Reason.TIMED_OUT);
    assertThat(count(SimFaultKind.SITE_WAS_DOWN)).isEqualTo(1);
    assertThat(count(SimFaultKind.SITE_CRASHED)).isEqualTo(1);
    federation.inject(new Fault.SiteUp("oslo"));
    assertThat(outcome(oslo.read(KEY, in(90))).toString()).contains("StoredEntry");
  }

  @Test
  void aWipedSiteHasLostItsStores() {
    outcome(oslo.put(KEY, ONE, in(90)));
    federation.inject(new Fault.SiteDown("oslo", LostState.STORES));
    federation.inject(new Fault.SiteUp("oslo"));

    assertThat(outcome(oslo.read(KEY, in(90)))).isEqualTo(Reason.STORE_LOST);
    assertThat(federation.contents("oslo", "store")).isEmpty();
    assertThat(count(SimFaultKind.SITE_WIPED)).isEqualTo(1);
  }

  @Test
  void aCrashedClientDoesNothingMoreButWhatItSentArrives() {
    List<String> heard = new ArrayList<>();
    oslo.put(KEY, ONE, in(90)).whenComplete((answer, failure) -> heard.add("something"));
    federation.inject(new Fault.ClientCrash("c0"));
    federation.run(LONG);

    assertThat(heard).isEmpty();
    assertThat(osloHoldsTheKey()).isTrue();
    assertThat(count(SimFaultKind.CLIENT_CRASHED)).isEqualTo(1);
  }

  @Test
  void aFullWindowIsBusyAndSendsNothing() {
    for (int i = 0; i < 40; i++) {
      oslo.read(KEY, in(900));
    }

    assertThat(outcome(oslo.put(KEY, ONE, in(900)))).isEqualTo(Reason.BUSY);
    federation.run(LONG);
    assertThat(osloHoldsTheKey()).isFalse();
    assertThat(count(SimFaultKind.BUSY)).isEqualTo(1);
    assertThat(outcome(oslo.put(KEY, ONE, in(900)))).isEqualTo("null");
  }

  @Test
  void aFaultAtAnUnknownSiteIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> with(SimFaultPlan.none().at(LONG, new Fault.SiteUp("paris"))))
        .withMessageContaining("paris");
  }
}
