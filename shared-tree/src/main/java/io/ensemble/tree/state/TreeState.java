package io.ensemble.tree.state;

import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeSettings;
import io.ensemble.tree.state.CommitOutcome.Kind;
import io.ensemble.tree.state.CommitRequest.QuotaClaim;
import io.ensemble.tree.state.TreePage.PageReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The sequencer of a tree: numbers commits, finds conflicts, and says which pages hold the tree.
 * Its size is bounded. The pages have the commits up to one; the log has the changes of later ones.
 * The window has the written paths of some commits before those.
 *
 * <p>A checkpoint is planned by the commit that makes the log long: from then on its last commit is
 * fixed. Any client may write its pages, and several may.
 */
public final class TreeState implements SequencerCalls {

  /** When checkpoints up to one were replaced. */
  record Mark(long checkpoint, long millis) {}

  /** The log may be this many times as long as the length at which a checkpoint is planned. */
  static final int FULL = 3;

  static final int MOST_MARKS = 64;

  /** The maximum number of checkpoints whose replaced pages one call hands out for removal. */
  static final int REMOVED_AT_A_TIME = 4;

  /** About the bytes of a remembered commit beside its paths. */
  private static final int OVERHEAD = 8;

  final String birth;
  final TreeSettings settings;
  long last;
  int chain;
  long materialized;
  int materializedChain;
  long checkpoint;
  Optional<PageReference> root = Optional.empty();
  long plannedTo;
  long windowFrom;
  int windowBytes;
  int logBytes;
  long removedTo;
  long readableFrom;
  boolean isDeleted;
  final Deque<Mark> marks = new ArrayDeque<>();

  /** The window, then the log. */
  final Deque<LoggedCommit> commits = new ArrayDeque<>();

  /**
   * A tree without a root.
   *
   * @param birth distinguishes it from all others, also from others of its name
   */
  TreeState(String birth, TreeSettings settings) {
    this.birth = birth;
    this.settings = settings;
  }

  /** A new tree. Its first commit creates the root. */
  public static TreeState create(String birth, TreeSettings settings, NodePermissions ofRoot) {
    TreeState state = new TreeState(birth, settings);
    TreeChange root = new TreeChange.Create(TreePath.ROOT, new byte[0], ofRoot);
    state.commit(
        new CommitRequest(
                0,
                0,
                new ReadSet(),
                Map.of(),
                Map.of(ofRoot.owner(), new OwnerUsage(1, NodeRecord.listedBytes(ofRoot))),
                List.of(root))
            .encoded());
    return state;
  }

  @Override
  public CommitOutcome commit(byte[] request) {
    TreeInput in = new TreeInput(request);
    long base = in.number();
    int baseChain = (int) in.signed();
    ReadSet reads = ReadSet.read(in);
    Map<String, QuotaClaim> claims = new TreeMap<>();
    for (int left = in.count(); left > 0; left--) {
      claims.put(in.text(), new QuotaClaim(OwnerUsage.read(in), OwnerUsage.read(in)));
    }
    byte[] payload = in.block();
    in.end();
    if (isDeleted) {
      return outcome(Kind.DELETED, "");
    }
    LoggedCommit commit = LoggedCommit.withChanges(last + 1, chained(payload), payload);
    if (isStale(base, baseChain)) {
      return outcome(Kind.STALE, "");
    }
    Optional<TreePath> conflict = conflict(base, reads);
    if (conflict.isPresent()) {
      return outcome(Kind.CONFLICT, conflict.get().encoded());
    }
    for (Map.Entry<String, QuotaClaim> claim : claims.entrySet()) {
      Optional<Kind> exceeded = exceeded(base, claim.getKey(), claim.getValue(), commit);
      if (exceeded.isPresent()) {
        return outcome(exceeded.get(), claim.getKey());
      }
    }
    if (isFull()) {
      return outcome(Kind.FULL, "");
    }
    commit.paths(); // bytes that cannot be read are refused here
    last = commit.number();
    chain = commit.chain();
    commits.add(commit);
    logBytes += payload.length + OVERHEAD;
    boolean planned = plan();
    return new CommitOutcome(Kind.COMMITTED, last, "", plannedTo > 0, planned);
  }

  private CommitOutcome outcome(Kind kind, String where) {
    return new CommitOutcome(kind, last, where, plannedTo > 0, false);
  }

  private int chained(byte[] payload) {
    return (int) PageId.digest(payload) * 31 + chain * 0x9E3779B1;
  }

  private boolean isStale(long base, int baseChain) {
    return base < windowFrom || compare(base, baseChain) != CommitComparison.SAME;
  }

  /** Compares a commit that another state has with that of this one. */
  public CommitComparison compare(long number, int digest) {
    if (number > last) {
      return CommitComparison.OTHER;
    }
    if (number == last) {
      return CommitComparison.of(digest == chain);
    }
    if (number == materialized) {
      return CommitComparison.of(digest == materializedChain);
    }
    for (LoggedCommit commit : commits) {
      if (commit.number() == number) {
        return CommitComparison.of(digest == commit.chain());
      }
    }
    return number == 0 ? CommitComparison.of(digest == 0) : CommitComparison.UNKNOWN;
  }

  private Optional<TreePath> conflict(long base, ReadSet reads) {
    for (Iterator<LoggedCommit> newest = commits.descendingIterator(); newest.hasNext(); ) {
      LoggedCommit commit = newest.next();
      if (commit.number() <= base) {
        break;
      }
      for (WrittenPath written : commit.paths()) {
        if (reads.meets(written)) {
          return Optional.of(written.path());
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Kind> exceeded(
      long base, String owner, QuotaClaim claim, LoggedCommit transaction) {
    OwnerUsage more = transaction.usage().getOrDefault(owner, OwnerUsage.NONE);
    OwnerUsage total = claim.atBase().plus(more);
    for (LoggedCommit commit : commits) {
      if (commit.number() > base) {
        total = total.plus(commit.usage().getOrDefault(owner, OwnerUsage.NONE));
      }
    }
    if (more.nodes() > 0 && total.nodes() > claim.limit().nodes()) {
      return Optional.of(Kind.TOO_MANY_NODES);
    }
    return more.bytes() > 0 && total.bytes() > claim.limit().bytes()
        ? Optional.of(Kind.TOO_MANY_BYTES)
        : Optional.empty();
  }

  /** Plans a checkpoint of all commits so far, if none is planned and the log is long. */
  private boolean plan() {
    if (plannedTo > 0 || logBytes < settings.logBytes()) {
      return false;
    }
    plannedTo = last;
    return true;
  }

  @Override
  public AdvanceOutcome advance(
      long completed, int plannedChain, byte[] encodedRoot, long nowMillis, long nowRemovedTo) {
    if (isDeleted) {
      return new AdvanceOutcome(false, false, true);
    }
    removedTo = Math.max(removedTo, Math.min(nowRemovedTo, readableFrom));
    TreeInput in = new TreeInput(encodedRoot);
    Optional<PageReference> newRoot = PageReference.readOptional(in);
    in.end();
    boolean isPlanned = plannedTo > 0 && completed == checkpoint + 1;
    if (!isPlanned || plan(plannedTo).chain() != plannedChain) {
      return new AdvanceOutcome(false, plannedTo > 0, false);
    }
    forgetChanges();
    root = newRoot;
    checkpoint = completed;
    plannedTo = 0;
    mark(nowMillis);
    plan();
    return new AdvanceOutcome(true, plannedTo > 0, false);
  }

  @Override
  public boolean delete() {
    boolean isFirst = !isDeleted;
    isDeleted = true;
    plannedTo = 0;
    return isFirst;
  }

  private LoggedCommit plan(long number) {
    for (LoggedCommit commit : commits) {
      if (commit.number() == number) {
        return commit;
      }
    }
    throw new IllegalStateException("commit " + number + " is not in the log");
  }

  /** The pages have the planned commits, so only their paths are still needed. */
  private void forgetChanges() {
    List<LoggedCommit> all = new ArrayList<>(commits);
    commits.clear();
    for (LoggedCommit commit : all) {
      if (commit.number() > materialized && commit.number() <= plannedTo) {
        LoggedCommit shorter = commit.withoutChanges();
        commits.add(shorter);
        logBytes -= commit.payload().length + OVERHEAD;
        windowBytes += shorter.written().length + OVERHEAD;
        materializedChain = commit.chain();
      } else {
        commits.add(commit);
      }
    }
    materialized = plannedTo;
    while (windowBytes > settings.windowBytes() && commits.getFirst().number() <= materialized) {
      LoggedCommit oldest = commits.removeFirst();
      windowBytes -= oldest.written().length + OVERHEAD;
      windowFrom = oldest.number();
    }
  }

  /** Remembers when checkpoints were replaced, coarsely, and hands out those replaced long ago. */
  private void mark(long nowMillis) {
    long retention = settings.retention().toMillis();
    lowerMarksAfter(nowMillis);
    if (marks.isEmpty() || nowMillis - marks.getLast().millis() >= retention / (MOST_MARKS / 2)) {
      marks.add(new Mark(checkpoint, nowMillis));
    }
    while (!marks.isEmpty()
        && (marks.size() > MOST_MARKS || nowMillis - marks.getFirst().millis() >= retention)) {
      long replaced = marks.getFirst().checkpoint();
      readableFrom = Math.max(readableFrom, Math.min(replaced, removedTo + REMOVED_AT_A_TIME));
      if (readableFrom < replaced) {
        return;
      }
      marks.removeFirst();
    }
  }

  /** A clock that was ahead must not delay removals until its time has come. */
  private void lowerMarksAfter(long nowMillis) {
    List<Mark> all = List.copyOf(marks);
    marks.clear();
    all.forEach(mark -> marks.add(new Mark(mark.checkpoint(), Math.min(mark.millis(), nowMillis))));
  }

  /** The name under which the pages are stored. */
  public String birth() {
    return birth;
  }

  /** Whether the tree is deleted; some of its pages may still be there. */
  public boolean isDeleted() {
    return isDeleted;
  }

  /** The settings with which the tree was created. */
  public TreeSettings settings() {
    return settings;
  }

  /** The number of commits. */
  public long last() {
    return last;
  }

  /** A digest of all commits. */
  public int chain() {
    return chain;
  }

  /** The last commit that the pages have. */
  public long materialized() {
    return materialized;
  }

  /** The last complete checkpoint. */
  public long checkpoint() {
    return checkpoint;
  }

  /** The root page of the last complete checkpoint; empty if it has no records. */
  public Optional<PageReference> root() {
    return root;
  }

  /** The last commit of the planned checkpoint; 0 if none is planned. */
  public long plannedTo() {
    return plannedTo;
  }

  /** The replaced pages of checkpoints up to this one were removed. */
  public long removedTo() {
    return removedTo;
  }

  /** The oldest checkpoint whose pages are all there. */
  public long readableFrom() {
    return readableFrom;
  }

  /** The commit after which the sequencer remembers what was written. */
  public long windowFrom() {
    return windowFrom;
  }

  /** The commits that the sequencer remembers, in order: the first ones with their paths only. */
  public List<LoggedCommit> commits() {
    return List.copyOf(commits);
  }

  /** The commits after one, in order; empty if not all of them are remembered. */
  public Optional<List<LoggedCommit>> commitsAfter(long number) {
    List<LoggedCommit> after = new ArrayList<>();
    for (Iterator<LoggedCommit> newest = commits.descendingIterator(); newest.hasNext(); ) {
      LoggedCommit commit = newest.next();
      if (commit.number() <= number) {
        break;
      }
      after.add(0, commit);
    }
    return after.size() == last - number ? Optional.of(after) : Optional.empty();
  }

  /** The commits that the pages do not have, up to {@code end}. */
  public List<LoggedCommit> log(long end) {
    return commits.stream()
        .filter(commit -> commit.number() > materialized && commit.number() <= end)
        .toList();
  }

  /** Whether the log is so long that commits must wait for a checkpoint. */
  public boolean isFull() {
    return logBytes >= FULL * settings.logBytes();
  }
}
