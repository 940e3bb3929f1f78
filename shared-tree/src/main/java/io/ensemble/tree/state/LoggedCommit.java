package io.ensemble.tree.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A commit that the sequencer remembers: with its changes while the pages do not have them,
 * afterwards with the written paths only.
 */
public final class LoggedCommit {

  private final long number;
  private final int chain;
  private final byte @Nullable [] payload;
  private byte @Nullable [] written;
  private @Nullable Map<String, OwnerUsage> usage;
  private @Nullable List<TreeChange> changes;
  private @Nullable List<WrittenPath> paths;

  private LoggedCommit(
      long number, int chain, byte @Nullable [] payload, byte @Nullable [] written) {
    this.number = number;
    this.chain = chain;
    this.payload = payload;
    this.written = written;
  }

  static LoggedCommit withChanges(long number, int chain, byte[] payload) {
    return new LoggedCommit(number, chain, payload, null);
  }

  static LoggedCommit withPaths(long number, int chain, byte[] written) {
    return new LoggedCommit(number, chain, null, written);
  }

  /** Its number; the first commit of a tree is 1. */
  public long number() {
    return number;
  }

  /** A digest of all commits up to this one. */
  public int chain() {
    return chain;
  }

  /** The differences of each owner's usage. */
  public Map<String, OwnerUsage> usage() {
    read();
    return java.util.Objects.requireNonNull(usage);
  }

  /** The changes, in order; none if only the paths are remembered. */
  public List<TreeChange> changes() {
    read();
    return changes == null ? List.of() : changes;
  }

  /** What was written. */
  public List<WrittenPath> paths() {
    read();
    return java.util.Objects.requireNonNull(paths);
  }

  private synchronized void read() {
    if (paths != null) {
      return;
    }
    if (payload != null) {
      TreeInput in = new TreeInput(payload);
      usage = CommitRequest.readUsage(in);
      List<TreeChange> read = new ArrayList<>();
      for (int left = in.count(); left > 0; left--) {
        read.add(TreeChange.read(in));
      }
      in.end();
      changes = read;
      paths = WrittenPath.of(read);
    } else {
      TreeInput in = new TreeInput(java.util.Objects.requireNonNull(written));
      usage = CommitRequest.readUsage(in);
      paths = WrittenPath.readAll(in);
      in.end();
    }
  }

  byte[] payload() {
    return java.util.Objects.requireNonNull(payload);
  }

  synchronized byte[] written() {
    if (written == null) {
      TreeOutput out = new TreeOutput();
      CommitRequest.writeUsage(out, usage());
      WrittenPath.writeAll(out, paths());
      written = out.toBytes();
    }
    return written;
  }

  LoggedCommit withoutChanges() {
    return withPaths(number, chain, written());
  }
}
