package io.ensemble.check.capacity;

import io.ensemble.Mode;
import org.jspecify.annotations.Nullable;

/**
 * What a cache takes. "Most" is the bound where entries are written by many clients and have a
 * lifespan.
 *
 * @param copies how many nodes hold a copy of each entry
 * @param entryBytes a stored entry: key, value, and what Ensemble adds
 * @param mostEntryBytes the same at most
 * @param heapBytesPerCopy the heap of a server for one copy
 * @param heapBytes the heap of all servers for all copies
 * @param nodeHeapBytes the heap of the node that holds most
 * @param mostNodeHeapBytes the same at most
 * @param diskBytes the live bytes on all disks; null for sites in memory
 * @param nodeDiskBytes the live bytes on the disk of the node that holds most; null in memory
 * @param clientBytes the heap of each client that uses all keys; null if it was not measured
 * @param readTrips round trips of a read
 * @param writeTrips round trips of a write by a client that did not write the key last
 * @param requestsPerRead the requests to sites of a read, at most, while all sites answer
 * @param requestsPerWrite the requests to sites of a write, while all sites answer
 * @param requestsPerSecond the requests of all clients to all sites
 * @param linkBytesPerSecond the bytes between clients and all sites, both directions
 * @param siteLinkBytesPerSecond the bytes between clients and one site, of several replicas there
 *     all; the site of the primary in SWMR
 */
public record CapacityEstimate(
    int copies,
    long entryBytes,
    long mostEntryBytes,
    long heapBytesPerCopy,
    long heapBytes,
    long nodeHeapBytes,
    long mostNodeHeapBytes,
    @Nullable Long diskBytes,
    @Nullable Long nodeDiskBytes,
    @Nullable Long clientBytes,
    int readTrips,
    int writeTrips,
    int requestsPerRead,
    int requestsPerWrite,
    long requestsPerSecond,
    long linkBytesPerSecond,
    long siteLinkBytesPerSecond) {

  /**
   * The estimate for a cache.
   *
   * @throws IllegalArgumentException if a figure does not fit into 63 bits
   */
  public static CapacityEstimate of(CapacityRequest asked) {
    try {
      return computed(asked);
    } catch (ArithmeticException overflow) {
      throw new IllegalArgumentException("the cache is too large to be computed", overflow);
    }
  }

  private static CapacityEstimate computed(CapacityRequest asked) {
    EntryFigures figures = EntryFigures.of(asked.mode());
    long plain = (long) asked.keyBytes() + asked.valueBytes() + 2 * EntryFigures.TYPE_BYTES;
    long entry = plain + figures.envelopeBytes();
    long most = plain + figures.mostEnvelopeBytes();
    long onHeap = EntryFigures.HEAP_BYTES + (asked.onDisk() ? EntryFigures.INDEX_HEAP_BYTES : 0);
    long copies = times(asked.entries(), asked.copies());
    long ofNode = (long) Math.ceil(asked.entries() * asked.shareOfNode());
    long onDisk = entry + EntryFigures.DISK_BYTES;
    int replicas = asked.allReplicas();
    int read = asked.mode() == Mode.MWMR ? replicas : 1;
    // A strong write reads the cell of each replica and writes it, before or after the answer.
    int write = asked.mode() == Mode.WEAK ? replicas : 2 * replicas;
    long reads = times(asked.readsPerSecond(), read);
    long writes = times(asked.writesPerSecond(), write);
    long readBytes = times(asked.readsPerSecond(), read * (EntryFigures.REQUEST_BYTES + entry));
    long bytes = Math.addExact(readBytes, writtenPerSecond(asked, entry, write, replicas));
    // The primary answers all reads of a SWMR cache.
    long readAtSite = asked.mode() == Mode.SWMR ? readBytes : readBytes / asked.sites();
    return new CapacityEstimate(
        asked.copies(),
        entry,
        most,
        entry + onHeap,
        times(copies, entry + onHeap),
        times(ofNode, entry + onHeap),
        times(ofNode, most + onHeap),
        asked.onDisk() ? times(copies, onDisk) : null,
        asked.onDisk() ? times(ofNode, onDisk) : null,
        clientBytes(asked, figures),
        figures.readTrips(),
        figures.writeTrips(),
        read,
        write,
        reads + writes,
        bytes,
        readAtSite + (bytes - readBytes) / asked.sites());
  }

  /** A write carries the entry there, and a strong one back before; a read carries it back. */
  private static long writtenPerSecond(CapacityRequest asked, long entry, int write, int replicas) {
    long perWrite =
        write * (long) (EntryFigures.REQUEST_BYTES + asked.keyBytes())
            + replicas * (entry - asked.keyBytes()) * (asked.mode() == Mode.WEAK ? 1 : 2);
    return times(asked.writesPerSecond(), perWrite);
  }

  private static long times(long one, long other) {
    return Math.multiplyExact(one, other);
  }

  private static @Nullable Long clientBytes(CapacityRequest asked, EntryFigures figures) {
    if (figures.clientBytes() < 0) {
      return null;
    }
    long keys = Math.min(asked.entries(), EntryFigures.MOST_CLIENT_KEYS);
    long cells = asked.mode() == Mode.MWMR ? EntryFigures.MOST_CLIENT_CELL_BYTES : 0;
    long values = keys * asked.valueBytes();
    return keys * figures.clientBytes() + Math.min(cells, values);
  }
}
