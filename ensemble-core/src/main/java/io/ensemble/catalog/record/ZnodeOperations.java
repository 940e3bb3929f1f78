package io.ensemble.catalog.record;

import io.ensemble.catalog.record.CatalogException.Reason;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The requests to ZooKeeper that a catalog is made of. What is not an answer fails with {@link
 * CatalogException}: {@link Reason#UNAVAILABLE}, {@link Reason#NOT_ALLOWED} or, of a change that
 * may have been made, {@link Reason#UNKNOWN}. Changes are asked for once.
 */
interface ZnodeOperations {

  /** A node as it was read. */
  record Node(byte[] data, int version) {}

  /** What the server said of a change. */
  enum Change {
    DONE,
    /** It is there already, or gone, or at another version. */
    NOT_SO
  }

  /** The node as it is now, whichever server is asked; empty when there is none. */
  CompletionStage<Optional<Node>> read(String path);

  /** The names of a node's children; none when it is not there. */
  CompletionStage<List<String>> children(String path);

  /** Makes a node, at version 0, and those above it. */
  CompletionStage<Change> create(String path, byte[] data);

  /** Gives a node of that version other data, and the next version. */
  CompletionStage<Change> write(String path, byte[] data, int version);
}
