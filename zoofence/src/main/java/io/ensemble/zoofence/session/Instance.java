package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Locks;
import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.Paths;
import io.ensemble.zoofence.link.Link;
import io.ensemble.zoofence.wire.Guarded;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
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
final class Instance {
  /** What an instance asks of the session that it belongs to. */
  interface Home {
    long session();

    List<AuthPacket> credentials();

    /** Writes down which of its sessions each instance has given, so that others can go on. */
    void remember(Consumer<Boolean> then);

    void guardChanged(Instance instance);

    Chart chart();
  }

  private static final int REMEMBERED = 10_000;

  private final Home home;
  private final Link link;
  private final Watches watches = new Watches();
  private Guard guard = Guard.UNKNOWN;
  private boolean stale;
  private int reading;
  private int edition;
  private long switchedZxid;
  private Flattening flattening;
  private final List<SetWatches2> owed = new ArrayList<>();
  private boolean marked;
  private final Set<String> plain = new HashSet<>();
  private int plainAt = Guard.UNKNOWN.version();

  /**
   * @param marked whether the instance's session is written down already
   */
  Instance(Home home, Link link, boolean marked) {
    this.home = home;
    this.link = link;
    this.flattening = home.chart().flattening();
    this.marked = marked;
  }

  Link link() {
    return link;
  }

  Watches watches() {
    return watches;
  }

  /** The guard, as far as it is of use: not by what was routed by an older edition. */
  Guard guard() {
    return isAhead() ? Guard.UNKNOWN : guard;
  }

  /**
   * The version that the guard has to have for a write of these paths; one that none has, if it
   * must not happen now. A request that waited for a connection finds other locks than when it was
   * sent.
   */
  int pass(List<String> paths) {
    return isStale() || paths.stream().anyMatch(guard.locks()::locks)
        ? Guard.UNKNOWN.version()
        : guard.version();
  }

  /** A write together with the guard, as of now. */
  Request guarded(Request write) {
    return Guarded.guarded(write, Names.GUARD, pass(Routes.paths(write)));
  }

  /** Whether the instance goes by a later edition of the flattening than the session. */
  private boolean isAhead() {
    return edition > home.chart().number();
  }

  /** The flattening that was in force when the instance told its last events. */
  Flattening flattening() {
    return flattening;
  }

  /** The guard has changed, and is not read yet: nobody knows what is locked. */
  void guardChanged() {
    stale = true;
    readGuard(read -> {});
  }

  /** Whether the guard has changed and is not read yet, or the session has to go over first. */
  boolean isStale() {
    return stale || isAhead();
  }

  /** Whether what was read of a path may be one half of a change that others see the other of. */
  boolean isTorn(String path) {
    return isStale() || guard.locks().locks(path);
  }

  /** Makes a new connection one that the session's requests can go over. */
  void prepare(Consumer<Boolean> ready) {
    for (AuthPacket credential : home.credentials()) {
      link.prepare(Request.of(OpCode.auth, credential), reply -> {});
    }
    Consumer<Boolean> last = done -> readGuard(read -> ready.accept(done && read));
    if (marked) {
      // Only who knows the guard knows what the watches that fire now have to say.
      readGuard(
          read -> {
            for (Request again : watches.again(link.lastZxid())) {
              link.prepare(again, reply -> {});
            }
            ready.accept(read);
          });
      return;
    }
    link.prepare(
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
  private Request mark() {
    return Request.of(
        OpCode.create,
        new CreateRequest(
            Paths.child(Names.OWNERS, Names.hex(link.identity().session())),
            ByteBuffer.allocate(Long.BYTES).putLong(home.session()).array(),
            ZooDefs.Ids.OPEN_ACL_UNSAFE,
            CreateMode.EPHEMERAL.toFlag()));
  }

  /** Reads the guard, and asks to be told when it changes. */
  void readGuard(Consumer<Boolean> then) {
    int mine = ++reading;
    link.prepare(
        Request.of(OpCode.getData, new GetDataRequest(Names.GUARD, true)),
        reply -> {
          if (reply.succeeded()) {
            var read = Jute.read(reply.body(), new GetDataResponse());
            guard =
                new Guard(read.getStat().getVersion(), Locks.read(ByteBuffer.wrap(read.getData())));
          }
        });
    // Behind the guard: it is as new as the guard that was read, or the guard changes once more.
    link.prepare(
        Request.of(OpCode.getData, new GetDataRequest(Names.EDITION, false)),
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
  void goOver() {
    if (edition != home.chart().number()) {
      return;
    }
    flattening = home.chart().flattening();
    for (SetWatches2 part : owed) {
      // What the move itself did here is no change.
      part.setRelativeZxid(switchedZxid);
      watches.set(part);
      Watches.requests(part).forEach(request -> link.prepare(request, reply -> {}));
    }
    owed.clear();
  }

  /** Sets watches that another instance had, as soon as this one goes by the same edition. */
  void owe(SetWatches2 part) {
    owed.add(part);
    if (link.isOpen()) {
      goOver();
    } else {
      link.open();
    }
  }

  /** Whether it is known that a path is no ephemeral znode of our own records, as of the guard. */
  boolean isPlain(String path) {
    return plainAt == guard.version() && plain.contains(path);
  }

  /**
   * Asks whether a path is an ephemeral znode by our own records, so that nothing comes below it.
   */
  void ask(String path, Consumer<Reply> then) {
    int asOf = guard.version();
    link.prepare(
        Owner.question(path),
        reply -> {
          boolean known = reply.succeeded() || reply.failedWith(Code.NONODE);
          if (known && !Owner.isSession(reply) && asOf == guard.version()) {
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
  void owner(long own, Consumer<@Nullable Long> then) {
    link.prepare(
        Request.of(
            OpCode.getData, new GetDataRequest(Paths.child(Names.OWNERS, Names.hex(own)), false)),
        (Reply reply) -> {
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
