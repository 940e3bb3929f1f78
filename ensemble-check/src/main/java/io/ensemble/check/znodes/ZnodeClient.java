package io.ensemble.check.znodes;

import io.ensemble.check.trial.CallJournal;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.trial.PacedClients;
import io.ensemble.check.znodes.ZnodeLayout.LayoutNode;
import io.ensemble.check.znodes.ZnodeLayout.NodePair;
import io.ensemble.check.znodes.ZnodeOutcomes.ChangeKind;
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
  private final ZnodeOutcomes outcomes;
  private final List<LayoutNode> ownNodes = new ArrayList<>();
  private long number;
  private long besideNumber;
  private volatile ZnodeSession session;

  ZnodeClient(ZooFenceClientSpec order, CallJournal journal, ClientOutcomeCounts tally) {
    this.order = order;
    this.layout = order.layout();
    this.journal = journal;
    this.tally = tally;
    this.outcomes = new ZnodeOutcomes(tally);
    this.number = journal.newClient();
    this.besideNumber = journal.newClient();
    this.session = new ZnodeSession(order.proxies(), order.sessionMillis());
  }

  @Override
  public void work(PacedClients.CallSchedule steps, SplittableRandom random)
      throws InterruptedException {
    for (long fresh = steps.next(); fresh != 0; fresh = steps.next()) {
      if (isReady()) {
        callAny(random, fresh);
      }
    }
    if (random.nextBoolean()) {
      session.close(); // The others' sessions end with their process.
    }
  }

  /** Ends the session as another client would. */
  void end() {
    session.expireFromOtherClient();
  }

  /** Closes the session; idempotent. */
  public void close() {
    session.close();
  }

  private boolean isReady() throws InterruptedException {
    if (session.isExpired()) {
      session.close();
      outcomes.forget();
      ownNodes.clear();
      session = new ZnodeSession(order.proxies(), order.sessionMillis());
    }
    return session.awaitConnected(MOMENT_MILLIS);
  }

  private void callAny(SplittableRandom random, long fresh) throws InterruptedException {
    LayoutNode node = pick(layout.registers(), random);
    int dice = random.nextInt(100);
    if (dice < 26) {
      get(node.path(), node.path());
    } else if (dice < 46) {
      set(node, fresh, version(node.path(), random), random.nextInt(3) == 0);
    } else if (dice < 56) {
      create(node, fresh);
    } else if (dice < 61) {
      delete(node, version(node.path(), random));
    } else if (dice < 65) {
      exists(node);
    } else if (dice < 76) {
      pair(pick(layout.pairs(), random), random, fresh);
    } else if (dice < 84) {
      setInOrder(pick(layout.orders(), random), fresh);
    } else if (dice < 90) {
      NodePair pair = pick(layout.orders(), random);
      get(pair.second().path(), pair.second().path());
      get(pair.first().path(), pair.first().path());
    } else if (dice < 95) {
      sequential(pick(layout.named(), random), fresh);
    } else {
      ephemeral(pick(layout.live(), random), fresh);
    }
  }

  private static <T> T pick(List<T> of, SplittableRandom random) {
    return of.get(random.nextInt(of.size()));
  }

  /** Any version, the last one seen, or an outdated one. */
  private int version(String path, SplittableRandom random) {
    Integer seen = outcomes.version(path);
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
    number = outcomes.recordGet(call, path, ZnodeSession.await(session.get(path)));
  }

  private void exists(LayoutNode node) throws InterruptedException {
    CallJournal.Call call = journal.begin(number, node.path(), "exists", null, null);
    number =
        outcomes.recordExists(call, node.path(), ZnodeSession.await(session.exists(node.path())));
  }

  private void set(LayoutNode node, long fresh, int version, boolean peeks)
      throws InterruptedException {
    CallJournal.Call call = set(number, node.path(), fresh, version);
    var setting = session.set(node.path(), fresh, version);
    var peeking = peeks ? session.peek(node.path()) : null;
    ZnodeResult answer = ZnodeSession.await(setting);
    outcomes.checkState(node.path(), answer);
    number =
        outcomes.recordChange(
            ChangeKind.SET,
            call,
            "setData of " + node.path(),
            answer,
            node.setByQueue(),
            ZnodeOutcomes::set);
    if (peeking != null) {
      outcomes.checkPeek(node.path(), ZnodeSession.await(peeking));
    }
  }

  private CallJournal.Call set(long client, String key, long fresh, int version) {
    List<@Nullable Object> argument = new ArrayList<>();
    argument.add(fresh);
    argument.add(wanted(version));
    return journal.begin(client, key, "set_data", null, argument);
  }

  private void create(LayoutNode node, long fresh) throws InterruptedException {
    CallJournal.Call call = journal.begin(number, node.path(), "create", null, fresh);
    ZnodeResult answer =
        ZnodeSession.await(session.create(node.path(), fresh, CreateMode.PERSISTENT));
    number =
        outcomes.recordChange(
            ChangeKind.CREATE,
            call,
            "create of " + node.path(),
            answer,
            node.madeByQueue(),
            ZnodeResult::succeeded);
  }

  private void delete(LayoutNode node, int version) throws InterruptedException {
    CallJournal.Call call =
        journal.begin(number, node.path(), "delete_node", null, wanted(version));
    ZnodeResult answer = ZnodeSession.await(session.delete(node.path(), version));
    number =
        outcomes.recordChange(
            ChangeKind.DELETE,
            call,
            "delete of " + node.path(),
            answer,
            node.madeByQueue(),
            ZnodeOutcomes::deleted);
  }

  /** Changes both in one transaction, so that they are one znode for all clients. */
  private void pair(NodePair pair, SplittableRandom random, long fresh)
      throws InterruptedException {
    String first = pair.first().path();
    String second = pair.second().path();
    int dice = random.nextInt(100);
    if (dice < 45) {
      get(pair.key(), random.nextBoolean() ? first : second);
    } else if (dice < 75) {
      int version = version(first, random);
      transaction(
          ChangeKind.SET,
          set(number, pair.key(), fresh, version),
          pair,
          ZnodeSession.setting(first, fresh, version),
          ZnodeSession.setting(second, fresh, version),
          outcomes::pairResult);
    } else if (dice < 92) {
      transaction(
          ChangeKind.CREATE,
          journal.begin(number, pair.key(), "create", null, fresh),
          pair,
          ZnodeSession.creating(first, fresh),
          ZnodeSession.creating(second, fresh),
          ZnodeResult::succeeded);
    } else {
      transaction(
          ChangeKind.DELETE,
          journal.begin(number, pair.key(), "delete_node", null, null),
          pair,
          Op.delete(first, ANY),
          Op.delete(second, ANY),
          ZnodeOutcomes::deleted);
    }
  }

  private void transaction(
      ChangeKind kind,
      CallJournal.Call call,
      NodePair pair,
      Op first,
      Op second,
      Function<ZnodeResult, @Nullable Object> out)
      throws InterruptedException {
    ZnodeResult answer = ZnodeSession.await(session.multi(List.of(first, second)));
    number = outcomes.recordChange(kind, call, "multi of " + pair.key(), answer, true, out);
  }

  /** The second request is sent before the first is answered. */
  private void setInOrder(NodePair pair, long fresh) throws InterruptedException {
    CallJournal.Call first = set(number, pair.first().path(), fresh, ANY);
    CompletableFuture<ZnodeResult> former = session.set(pair.first().path(), fresh, ANY);
    CallJournal.Call second = set(besideNumber, pair.second().path(), fresh, ANY);
    CompletableFuture<ZnodeResult> latter = session.set(pair.second().path(), fresh, ANY);
    number = recordOrderedSet(first, pair.first(), ZnodeSession.await(former));
    besideNumber = recordOrderedSet(second, pair.second(), ZnodeSession.await(latter));
  }

  private long recordOrderedSet(CallJournal.Call call, LayoutNode node, ZnodeResult answer) {
    outcomes.checkState(node.path(), answer);
    return outcomes.recordChange(
        ChangeKind.SET,
        call,
        "setData of " + node.path(),
        answer,
        node.setByQueue(),
        ZnodeOutcomes::set);
  }

  private void sequential(LayoutNode under, long fresh) throws InterruptedException {
    CallJournal.Call call =
        journal.begin(number, under.path(), SequentialNodeCheck.CREATE, null, fresh);
    ZnodeResult answer =
        ZnodeSession.await(
            session.create(under.path() + "/n-", fresh, CreateMode.PERSISTENT_SEQUENTIAL));
    number =
        outcomes.recordChange(
            ChangeKind.CREATE_ALONE,
            call,
            "create below " + under.path(),
            answer,
            under.setByQueue(),
            ended -> SequentialNodeCheck.number(String.valueOf(ended.name())));
  }

  /** Creates an ephemeral znode, or checks whether those that it has created are there. */
  private void ephemeral(LayoutNode under, long fresh) throws InterruptedException {
    if (ownNodes.size() < layout.live().size()) {
      LayoutNode made =
          new LayoutNode(under.path() + "/e-" + fresh, under.setByQueue(), under.setByQueue());
      ZnodeResult answer =
          ZnodeSession.await(session.create(made.path(), fresh, CreateMode.EPHEMERAL));
      outcomes.reportIfIllegal("create of " + made.path(), answer);
      if (answer.succeeded()) {
        ownNodes.add(made);
      }
      return;
    }
    for (LayoutNode one : ownNodes) {
      ZnodeResult answer = ZnodeSession.await(session.exists(one.path()));
      if (!answer.failedWith(Code.NONODE)) {
        outcomes.reportIfIllegal("the final read of " + one.path(), answer);
      } else if (!session.awaitExpired((long) TIMEOUTS_TO_NOTICE * session.timeoutMillis())) {
        tally.broken(one.path() + " is missing, although its session is open; client " + number);
      }
    }
  }
}
