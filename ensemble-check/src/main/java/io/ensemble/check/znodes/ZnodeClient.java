package io.ensemble.check.znodes;

import io.ensemble.check.trial.CallJournal;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.trial.PacedClients;
import io.ensemble.check.znodes.ZnodeLayout.Spot;
import io.ensemble.check.znodes.ZnodeLayout.Two;
import io.ensemble.check.znodes.ZnodeOutcomes.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

/**
 * One client of ZooFence: a session, another when that is over, and calls on the znodes of a trial,
 * each recorded with its outcome. Used by one thread; {@link #end} may be called from another.
 */
public final class ZnodeClient implements PacedClients.Client {
  private static final long MOMENT_MILLIS = 200;
  private static final int ANY = -1;

  /** The client detects the end of a session by a ping, or when a connection breaks. */
  private static final int TIMEOUTS_TO_NOTICE = 4;

  private final ZooFenceClientSpec order;
  private final ZnodeLayout layout;
  private final CallJournal journal;
  private final ClientOutcomeCounts tally;
  private final ZnodeOutcomes ends;
  private final List<Spot> own = new ArrayList<>();
  private long number;
  private long beside;
  private volatile ZnodeSession session;

  ZnodeClient(ZooFenceClientSpec order, CallJournal journal, ClientOutcomeCounts tally) {
    this.order = order;
    this.layout = order.layout();
    this.journal = journal;
    this.tally = tally;
    this.ends = new ZnodeOutcomes(tally);
    this.number = journal.newClient();
    this.beside = journal.newClient();
    this.session = new ZnodeSession(order.proxies(), order.sessionMillis());
  }

  @Override
  public void work(PacedClients.Steps steps, SplittableRandom random) throws InterruptedException {
    for (long fresh = steps.next(); fresh != 0; fresh = steps.next()) {
      if (isReady()) {
        any(random, fresh);
      }
    }
    if (random.nextBoolean()) {
      session.close(); // The others' sessions end with their process.
    }
  }

  /** Ends the session as another client would. */
  void end() {
    session.endFromElsewhere();
  }

  /** Closes the session; idempotent. */
  public void close() {
    session.close();
  }

  private boolean isReady() throws InterruptedException {
    if (session.isOver()) {
      session.close();
      ends.forget();
      own.clear();
      session = new ZnodeSession(order.proxies(), order.sessionMillis());
    }
    return session.awaitConnected(MOMENT_MILLIS);
  }

  private void any(SplittableRandom random, long fresh) throws InterruptedException {
    Spot spot = one(layout.registers(), random);
    int dice = random.nextInt(100);
    if (dice < 26) {
      get(spot.path(), spot.path());
    } else if (dice < 46) {
      set(spot, fresh, version(spot.path(), random), random.nextInt(3) == 0);
    } else if (dice < 56) {
      create(spot, fresh);
    } else if (dice < 61) {
      delete(spot, version(spot.path(), random));
    } else if (dice < 65) {
      exists(spot);
    } else if (dice < 76) {
      pair(one(layout.pairs(), random), random, fresh);
    } else if (dice < 84) {
      oneAfterTheOther(one(layout.orders(), random), fresh);
    } else if (dice < 90) {
      Two two = one(layout.orders(), random);
      get(two.second().path(), two.second().path());
      get(two.first().path(), two.first().path());
    } else if (dice < 95) {
      sequential(one(layout.named(), random), fresh);
    } else {
      ephemeral(one(layout.live(), random), fresh);
    }
  }

  private static <T> T one(List<T> of, SplittableRandom random) {
    return of.get(random.nextInt(of.size()));
  }

  /** Any version, the last one seen, or an outdated one. */
  private int version(String path, SplittableRandom random) {
    Integer seen = ends.version(path);
    if (seen == null || random.nextBoolean()) {
      return ANY;
    }
    return random.nextInt(5) == 0 ? Math.max(0, seen - 1) : seen;
  }

  private static @Nullable Integer wanted(int version) {
    return version == ANY ? null : version;
  }

  private void get(String key, String path) throws InterruptedException {
    CallJournal.Call call = journal.begin(number, key, "get_data", null, null);
    number = ends.got(call, path, ZnodeSession.heard(session.get(path)));
  }

  private void exists(Spot spot) throws InterruptedException {
    CallJournal.Call call = journal.begin(number, spot.path(), "exists", null, null);
    number = ends.looked(call, spot.path(), ZnodeSession.heard(session.exists(spot.path())));
  }

  private void set(Spot spot, long fresh, int version, boolean peeks) throws InterruptedException {
    CallJournal.Call call = set(number, spot.path(), fresh, version);
    var setting = session.set(spot.path(), fresh, version);
    var peeking = peeks ? session.peek(spot.path()) : null;
    ZnodeResult answer = ZnodeSession.heard(setting);
    ends.see(spot.path(), answer);
    number =
        ends.changed(
            Change.SET,
            call,
            "setData of " + spot.path(),
            answer,
            spot.setByQueue(),
            ZnodeOutcomes::set);
    if (peeking != null) {
      ends.peeked(spot.path(), ZnodeSession.heard(peeking));
    }
  }

  private CallJournal.Call set(long client, String key, long fresh, int version) {
    List<@Nullable Object> argument = new ArrayList<>();
    argument.add(fresh);
    argument.add(wanted(version));
    return journal.begin(client, key, "set_data", null, argument);
  }

  private void create(Spot spot, long fresh) throws InterruptedException {
    CallJournal.Call call = journal.begin(number, spot.path(), "create", null, fresh);
    ZnodeResult answer =
        ZnodeSession.heard(session.create(spot.path(), fresh, CreateMode.PERSISTENT));
    number =
        ends.changed(
            Change.CREATE,
            call,
            "create of " + spot.path(),
            answer,
            spot.madeByQueue(),
            ZnodeResult::succeeded);
  }

  private void delete(Spot spot, int version) throws InterruptedException {
    CallJournal.Call call =
        journal.begin(number, spot.path(), "delete_node", null, wanted(version));
    ZnodeResult answer = ZnodeSession.heard(session.delete(spot.path(), version));
    number =
        ends.changed(
            Change.DELETE,
            call,
            "delete of " + spot.path(),
            answer,
            spot.madeByQueue(),
            ZnodeOutcomes::deleted);
  }

  /** Changes both in one transaction, so that they are one znode for all clients. */
  private void pair(Two two, SplittableRandom random, long fresh) throws InterruptedException {
    String first = two.first().path();
    String second = two.second().path();
    int dice = random.nextInt(100);
    if (dice < 45) {
      get(two.key(), random.nextBoolean() ? first : second);
    } else if (dice < 75) {
      int version = version(first, random);
      transaction(
          Change.SET,
          set(number, two.key(), fresh, version),
          two,
          ZnodeSession.setting(first, fresh, version),
          ZnodeSession.setting(second, fresh, version),
          ends::together);
    } else if (dice < 92) {
      transaction(
          Change.CREATE,
          journal.begin(number, two.key(), "create", null, fresh),
          two,
          ZnodeSession.creating(first, fresh),
          ZnodeSession.creating(second, fresh),
          ZnodeResult::succeeded);
    } else {
      transaction(
          Change.DELETE,
          journal.begin(number, two.key(), "delete_node", null, null),
          two,
          Op.delete(first, ANY),
          Op.delete(second, ANY),
          ZnodeOutcomes::deleted);
    }
  }

  private void transaction(
      Change kind,
      CallJournal.Call call,
      Two two,
      Op first,
      Op second,
      Function<ZnodeResult, @Nullable Object> out)
      throws InterruptedException {
    ZnodeResult answer = ZnodeSession.heard(session.multi(List.of(first, second)));
    number = ends.changed(kind, call, "multi of " + two.key(), answer, true, out);
  }

  /** The second request is sent before the first is answered. */
  private void oneAfterTheOther(Two two, long fresh) throws InterruptedException {
    CallJournal.Call first = set(number, two.first().path(), fresh, ANY);
    CompletableFuture<ZnodeResult> former = session.set(two.first().path(), fresh, ANY);
    CallJournal.Call second = set(beside, two.second().path(), fresh, ANY);
    CompletableFuture<ZnodeResult> latter = session.set(two.second().path(), fresh, ANY);
    number = ordered(first, two.first(), ZnodeSession.heard(former));
    beside = ordered(second, two.second(), ZnodeSession.heard(latter));
  }

  private long ordered(CallJournal.Call call, Spot spot, ZnodeResult answer) {
    ends.see(spot.path(), answer);
    return ends.changed(
        Change.SET,
        call,
        "setData of " + spot.path(),
        answer,
        spot.setByQueue(),
        ZnodeOutcomes::set);
  }

  private void sequential(Spot under, long fresh) throws InterruptedException {
    CallJournal.Call call =
        journal.begin(number, under.path(), SequentialNodeCheck.CREATE, null, fresh);
    ZnodeResult answer =
        ZnodeSession.heard(
            session.create(under.path() + "/n-", fresh, CreateMode.PERSISTENT_SEQUENTIAL));
    number =
        ends.changed(
            Change.CREATE_ALONE,
            call,
            "create below " + under.path(),
            answer,
            under.setByQueue(),
            ended -> SequentialNodeCheck.number(String.valueOf(ended.name())));
  }

  /** Creates an ephemeral znode, or checks whether those that it has created are there. */
  private void ephemeral(Spot under, long fresh) throws InterruptedException {
    if (own.size() < layout.live().size()) {
      Spot made = new Spot(under.path() + "/e-" + fresh, under.setByQueue(), under.setByQueue());
      ZnodeResult answer =
          ZnodeSession.heard(session.create(made.path(), fresh, CreateMode.EPHEMERAL));
      ends.wonder("create of " + made.path(), answer);
      if (answer.succeeded()) {
        own.add(made);
      }
      return;
    }
    for (Spot one : own) {
      ZnodeResult answer = ZnodeSession.heard(session.exists(one.path()));
      if (!answer.failedWith(Code.NONODE)) {
        ends.wonder("the final read of " + one.path(), answer);
      } else if (!session.awaitOver((long) TIMEOUTS_TO_NOTICE * session.timeoutMillis())) {
        tally.broken(one.path() + " is missing, although its session is open; client " + number);
      }
    }
  }
}
