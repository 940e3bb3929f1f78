package io.ensemble.check.znodes;

import io.ensemble.check.trial.CallJournal;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.testkit.history.specification.ZnodeModel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/** Records the outcomes of the calls of one client, and finds illegal ones. Used by one thread. */
final class ZnodeOutcomes {

  /** A kind of change, and the legal answers of a znode apart from success. */
  enum Change {
    SET(Code.NONODE, Code.BADVERSION),
    DELETE(Code.NONODE, Code.BADVERSION),
    CREATE(Code.NODEEXISTS),
    /** A creation under a unique name, below a parent that always exists. */
    CREATE_ALONE;

    private final Set<Code> refusals;

    Change(Code... refusals) {
      this.refusals = Set.of(refusals);
    }

    /** Whether the answer is a legal one of the znodes themselves. */
    boolean isSaid(ZnodeResult answer) {
      return answer.succeeded() || refusals.stream().anyMatch(answer::failedWith);
    }
  }

  private final ClientOutcomeCounts tally;
  private final SessionGuaranteeCheck sessionGuaranteeCheck = new SessionGuaranteeCheck();
  private final Map<String, Integer> versions = new HashMap<>();

  ZnodeOutcomes(ClientOutcomeCounts tally) {
    this.tally = tally;
  }

  /** The version of a znode that was seen last; null for none. */
  @Nullable Integer version(String path) {
    return versions.get(path);
  }

  /** Another session begins. */
  void forget() {
    sessionGuaranteeCheck.forget();
  }

  /** A read of the existence of a znode, without its data. A read that failed has no effect. */
  long looked(CallJournal.Call call, String path, ZnodeResult answer) {
    see(path, answer);
    return read(
        call, path, answer, answer.stat() == null ? null : answer.stat().getVersion(), "a version");
  }

  /** A read of version and value. */
  long got(CallJournal.Call call, String path, ZnodeResult answer) {
    see(path, answer);
    Long value = ZnodeSession.value(answer.data());
    Object found =
        answer.stat() == null || value == null ? null : List.of(answer.stat().getVersion(), value);
    return read(call, path, answer, found, without(answer));
  }

  /**
   * @param found null if the requested data was absent, which an existing znode never answers
   */
  private long read(
      CallJournal.Call call,
      String path,
      ZnodeResult answer,
      @Nullable Object found,
      String missing) {
    boolean absent = answer.failedWith(Code.NONODE);
    if (absent || (answer.succeeded() && found != null)) {
      long same = call.ok(absent ? null : found);
      tally.completed();
      return same;
    }
    if (answer.succeeded()) {
      tally.broken(path + " exists without " + missing);
    } else {
      wonder("a read of " + path, answer);
    }
    tally.refused();
    return call.refused();
  }

  /** A read of the session's own view, which may be behind others: it is in no history. */
  void peeked(String path, ZnodeResult answer) {
    see(path, answer);
    if (!answer.failedWith(Code.NONODE)) {
      Long unused = value(path, answer);
    }
  }

  /** The value of a znode that must exist; null if it could not be read. */
  @Nullable Long value(String path, ZnodeResult answer) {
    Long value = ZnodeSession.value(answer.data());
    if (answer.succeeded() && value == null) {
      tally.broken(path + " exists without " + without(answer));
    }
    wonder("a read of " + path, answer);
    return answer.succeeded() ? value : null;
  }

  private static String without(ZnodeResult answer) {
    return answer.data() == null ? "a value" : "a value, but with '" + answer.data() + "'";
  }

  /** Checks the state of a znode in the answer to a read or a change. */
  void see(String path, ZnodeResult answer) {
    if (answer.stat() != null) {
      versions.put(path, answer.stat().getVersion());
      String wrong =
          sessionGuaranteeCheck.there(path, answer.stat().getCzxid(), answer.stat().getMzxid());
      if (wrong != null) {
        tally.broken(wrong);
      }
    } else if (answer.failedWith(Code.NONODE)) {
      sessionGuaranteeCheck.gone(path);
    }
  }

  /** Reports an answer that no call may have, if the call failed. */
  void wonder(String what, ZnodeResult answer) {
    if (!answer.succeeded() && !answer.isLost() && !answer.failedWith(Code.OPERATIONTIMEOUT)) {
      tally.broken("%s ended with %s".formatted(what, answer.words()));
    }
  }

  /**
   * Records the outcome of a change.
   *
   * @param queued whether a leader executes it, perhaps when no client waits any more; otherwise a
   *     request that waited too long was not sent
   */
  long changed(
      Change kind,
      CallJournal.Call call,
      String what,
      ZnodeResult answer,
      boolean queued,
      Function<ZnodeResult, @Nullable Object> out) {
    if (kind.isSaid(answer)) {
      long same = call.ok(out.apply(answer));
      tally.completed();
      return same;
    }
    if (answer.failedWith(Code.OPERATIONTIMEOUT) && !queued) {
      tally.refused();
      return call.refused();
    }
    wonder(what, answer);
    tally.unknown();
    return call.unknown();
  }

  static Object set(ZnodeResult answer) {
    return answer.stat() == null ? refusal(answer) : (Object) answer.stat().getVersion();
  }

  private static String refusal(ZnodeResult answer) {
    return answer.failedWith(Code.NONODE) ? ZnodeModel.NO_NODE : ZnodeModel.BAD_VERSION;
  }

  static Object deleted(ZnodeResult answer) {
    return answer.succeeded() ? ZnodeModel.DELETED : refusal(answer);
  }

  /** The result of two that were set together. */
  Object together(ZnodeResult answer) {
    List<Integer> given =
        answer.results().stream()
            .filter(OpResult.SetDataResult.class::isInstance)
            .map(one -> ((OpResult.SetDataResult) one).getStat().getVersion())
            .distinct()
            .toList();
    if (given.size() > 1) {
      tally.broken("znodes that are only written together have versions " + given);
    }
    return answer.succeeded() && !given.isEmpty() ? given.get(0) : refusal(answer);
  }
}
