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
  enum ChangeKind {
    SET(Code.NONODE, Code.BADVERSION),
    DELETE(Code.NONODE, Code.BADVERSION),
    CREATE(Code.NODEEXISTS),
    /** A creation under a unique name, below a parent that always exists. */
    CREATE_ALONE;

    private final Set<Code> refusals;

    ChangeKind(Code... refusals) {
      this.refusals = Set.of(refusals);
    }

    /** Whether the answer is a legal one of the znodes themselves. */
    boolean isLegal(ZnodeResult answer) {
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
  long recordExists(CallJournal.Call call, String path, ZnodeResult answer) {
    checkState(path, answer);
    return read(
        call, path, answer, answer.stat() == null ? null : answer.stat().getVersion(), "a version");
  }

  /** A read of version and value. */
  long recordGet(CallJournal.Call call, String path, ZnodeResult answer) {
    checkState(path, answer);
    Long value = ZnodeSession.value(answer.data());
    Object found =
        answer.stat() == null || value == null ? null : List.of(answer.stat().getVersion(), value);
    return read(call, path, answer, found, dataText(answer));
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
      reportIfIllegal("a read of " + path, answer);
    }
    tally.refused();
    return call.refused();
  }

  /** A read of the session's own view, which may be behind others: it is in no history. */
  void checkPeek(String path, ZnodeResult answer) {
    checkState(path, answer);
    if (!answer.failedWith(Code.NONODE)) {
      Long unused = value(path, answer);
    }
  }

  /** The value of a znode that must exist; null if it could not be read. */
  @Nullable Long value(String path, ZnodeResult answer) {
    Long value = ZnodeSession.value(answer.data());
    if (answer.succeeded() && value == null) {
      tally.broken(path + " exists without " + dataText(answer));
    }
    reportIfIllegal("a read of " + path, answer);
    return answer.succeeded() ? value : null;
  }

  private static String dataText(ZnodeResult answer) {
    return answer.data() == null ? "a value" : "a value, but with '" + answer.data() + "'";
  }

  /** Checks the state of a znode in the answer to a read or a change. */
  void checkState(String path, ZnodeResult answer) {
    if (answer.stat() != null) {
      versions.put(path, answer.stat().getVersion());
      String wrong =
          sessionGuaranteeCheck.recordPresent(
              path, answer.stat().getCzxid(), answer.stat().getMzxid());
      if (wrong != null) {
        tally.broken(wrong);
      }
    } else if (answer.failedWith(Code.NONODE)) {
      sessionGuaranteeCheck.recordAbsent(path);
    }
  }

  /** Reports an answer that no call may have, if the call failed. */
  void reportIfIllegal(String what, ZnodeResult answer) {
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
  long recordChange(
      ChangeKind kind,
      CallJournal.Call call,
      String what,
      ZnodeResult answer,
      boolean queued,
      Function<ZnodeResult, @Nullable Object> out) {
    if (kind.isLegal(answer)) {
      long same = call.ok(out.apply(answer));
      tally.completed();
      return same;
    }
    if (answer.failedWith(Code.OPERATIONTIMEOUT) && !queued) {
      tally.refused();
      return call.refused();
    }
    reportIfIllegal(what, answer);
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
  Object pairResult(ZnodeResult answer) {
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
