package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.session.routing.RouteFinder;
import io.ensemble.zoofence.session.routing.RoutingView;
import io.ensemble.zoofence.wire.GuardedWrite;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AuthPacket;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.SetWatches2;
import org.jspecify.annotations.Nullable;

/** A session's side of one instance: its link, what it watches there, and the guard. */
public final class InstanceClient {
  /** What an instance asks of the session that it belongs to. */
  public interface Home {
    long session();

    List<AuthPacket> credentials();

    /** Writes down which of its sessions each instance has given, so that others can go on. */
    void remember(Consumer<Boolean> then);

    public void guardChanged(InstanceClient instanceClient);

    RoutingView chart();
  }

  private static final int REMEMBERED = 10_000;

  private final Home home;
  private final InstanceSession instanceSession;
  private final Watches watches = new Watches();
  private InstanceGuard guard = InstanceGuard.UNKNOWN;
  private boolean stale;
  private int reading;
  private int edition;
  private long switchedZxid;
  private Flattening flattening;
  private final List<SetWatches2> owed = new ArrayList<>();
  private boolean marked;
  private final Set<String> plain = new HashSet<>();
  private int plainAt = InstanceGuard.UNKNOWN.version();

  /**
   * @param marked whether the instance's session is written down already
   */
  public InstanceClient(Home home, InstanceSession instanceSession, boolean marked) {
    this.home = home;
    this.instanceSession = instanceSession;
    this.flattening = home.chart().flattening();
    this.marked = marked;
  }

  public InstanceSession link() {
    return instanceSession;
  }

  public Watches watches() {
    return watches;
  }

  /** The guard, as far as it is of use: not by what was routed by an older edition. */
  public InstanceGuard guard() {
    return isAhead() ? InstanceGuard.UNKNOWN : guard;
  }

  /**
   * The version that the guard has to have for a write of these paths; one that none has, if it
   * must not happen now. A request that waited for a connection finds other locks than when it was
   * sent.
   */
  public int pass(List<String> paths) {
    return isStale() || paths.stream().anyMatch(guard.locks()::locks)
        ? InstanceGuard.UNKNOWN.version()
        : guard.version();
  }

  /** A write together with the guard, as of now. */
  public ZooKeeperRequest guarded(ZooKeeperRequest write) {
    return GuardedWrite.guarded(write, ZooFencePaths.GUARD, pass(RouteFinder.paths(write)));
  }

  /** Whether the instance goes by a later edition of the flattening than the session. */
  private boolean isAhead() {
    return edition > home.chart().number();
  }

  /** The flattening that was in force when the instance told its last events. */
  public Flattening flattening() {
    return flattening;
  }

  /** The guard has changed, and is not read yet: nobody knows what is locked. */
  public void guardChanged() {
    stale = true;
    readGuard(read -> {});
  }

  /** Whether the guard has changed and is not read yet, or the session has to go over first. */
  public boolean isStale() {
    return stale || isAhead();
  }

  /** Whether what was read of a path may be one half of a change that others see the other of. */
  public boolean isTorn(String path) {
    return isStale() || guard.locks().locks(path);
  }

  /** Makes a new connection one that the session's requests can go over. */
  public void prepare(Consumer<Boolean> ready) {
    for (AuthPacket credential : home.credentials()) {
      instanceSession.prepare(ZooKeeperRequest.of(OpCode.auth, credential), reply -> {});
    }
    Consumer<Boolean> last = done -> readGuard(read -> ready.accept(done && read));
    if (marked) {
      // Only who knows the guard knows what the watches that fire now have to say.
      readGuard(
          read -> {
            for (ZooKeeperRequest again : watches.again(instanceSession.lastZxid())) {
              instanceSession.prepare(again, reply -> {});
            }
            ready.accept(read);
          });
      return;
    }
    instanceSession.prepare(
        mark(),
        reply -> {
          if (reply.succeeded() || reply.failedWith(Code.NODEEXISTS)) {
            home.remember(
                written -> {
                  marked = written;
                  last.accept(written);
                });
          } else {
            ready.accept(false);
          }
        });
  }

  /** Tells others at this instance whose session this is, for as long as it lives. */
  private ZooKeeperRequest mark() {
    return ZooKeeperRequest.of(
        OpCode.create,
        new CreateRequest(
            ZnodePaths.child(
                ZooFencePaths.OWNERS, ZooFencePaths.hex(instanceSession.identity().session())),
            ByteBuffer.allocate(Long.BYTES).putLong(home.session()).array(),
            ZooDefs.Ids.OPEN_ACL_UNSAFE,
            CreateMode.EPHEMERAL.toFlag()));
  }

  /** Reads the guard, and asks to be told when it changes. */
  public void readGuard(Consumer<Boolean> then) {
    int mine = ++reading;
    instanceSession.prepare(
        ZooKeeperRequest.of(OpCode.getData, new GetDataRequest(ZooFencePaths.GUARD, true)),
        reply -> {
          if (reply.succeeded()) {
            var read = Jute.read(reply.body(), new GetDataResponse());
            guard =
                new InstanceGuard(
                    read.getStat().getVersion(),
                    InstanceLocks.read(ByteBuffer.wrap(read.getData())));
          }
        });
    // Behind the guard: it is as new as the guard that was read, or the guard changes once more.
    instanceSession.prepare(
        ZooKeeperRequest.of(OpCode.getData, new GetDataRequest(ZooFencePaths.EDITION, false)),
        reply -> {
          if (reply.succeeded()) {
            var read = Jute.read(reply.body(), new GetDataResponse());
            edition = number(read.getData());
            switchedZxid = read.getStat().getMzxid();
            home.chart().heard(edition);
            stale &= mine != reading;
            goOver();
          }
          then.accept(reply.succeeded());
          home.guardChanged(this);
        });
  }

  private static int number(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    return text.isEmpty() ? 0 : Integer.parseInt(text);
  }

  /** The session and the instance may go by one edition now. */
  public void goOver() {
    if (edition != home.chart().number()) {
      return;
    }
    flattening = home.chart().flattening();
    for (SetWatches2 part : owed) {
      // What the move itself did here is no change.
      part.setRelativeZxid(switchedZxid);
      watches.set(part);
      Watches.requests(part).forEach(request -> instanceSession.prepare(request, reply -> {}));
    }
    owed.clear();
  }

  /** Sets watches that another instance had, as soon as this one goes by the same edition. */
  public void owe(SetWatches2 part) {
    owed.add(part);
    if (instanceSession.isOpen()) {
      goOver();
    } else {
      instanceSession.open();
    }
  }

  /** Whether it is known that a path is no ephemeral znode of our own records, as of the guard. */
  public boolean isPlain(String path) {
    return plainAt == guard.version() && plain.contains(path);
  }

  /**
   * Asks whether a path is an ephemeral znode by our own records, so that nothing comes below it.
   */
  public void ask(String path, Consumer<ZooKeeperReply> then) {
    int asOf = guard.version();
    instanceSession.prepare(
        OwnerLookup.question(path),
        reply -> {
          boolean known = reply.succeeded() || reply.failedWith(Code.NONODE);
          if (known && !OwnerLookup.isSession(reply) && asOf == guard.version()) {
            if (plainAt != asOf || plain.size() >= REMEMBERED) {
              plain.clear();
            }
            plainAt = asOf;
            plain.add(path);
          }
          then.accept(reply);
        });
  }

  /** Whose session a session of this instance is; null if the instance could not be asked. */
  public void owner(long own, Consumer<@Nullable Long> then) {
    instanceSession.prepare(
        ZooKeeperRequest.of(
            OpCode.getData,
            new GetDataRequest(
                ZnodePaths.child(ZooFencePaths.OWNERS, ZooFencePaths.hex(own)), false)),
        (ZooKeeperReply reply) -> {
          if (reply.succeeded()) {
            then.accept(
                ByteBuffer.wrap(Jute.read(reply.body(), new GetDataResponse()).getData())
                    .getLong());
          } else {
            // If there is none, it is no session of ours, or it has just ended.
            then.accept(reply.failedWith(Code.NONODE) ? own : null);
          }
        });
  }
}
