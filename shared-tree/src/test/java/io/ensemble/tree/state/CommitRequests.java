package io.ensemble.tree.state;

import io.ensemble.tree.state.CommitRequest.QuotaClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Requests of clients that make a mistake. */
public final class CommitRequests {

  private CommitRequests() {}

  /** The same request without what the transaction has read. */
  public static byte[] withoutReads(byte[] request) {
    TreeInput in = new TreeInput(request);
    long base = in.number();
    int chain = (int) in.signed();
    ReadSet unused = ReadSet.read(in);
    int claims = in.count();
    if (claims > 0) {
      throw new IllegalArgumentException("expected a request without claims");
    }
    TreeInput payload = new TreeInput(in.block());
    Map<String, OwnerUsage> usage = CommitRequest.readUsage(payload);
    List<TreeChange> changes = new ArrayList<>();
    for (int left = payload.count(); left > 0; left--) {
      changes.add(TreeChange.read(payload));
    }
    Map<String, QuotaClaim> none = Map.of();
    return new CommitRequest(base, chain, new ReadSet(), none, usage, changes).encoded();
  }
}
