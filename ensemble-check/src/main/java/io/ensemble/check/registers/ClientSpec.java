package io.ensemble.check.registers;

import io.ensemble.check.faults.WriterRotation;
import io.ensemble.check.federation.SiteDescriptor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The order to a client process, as one line of JSON on its standard input.
 *
 * @param sites the sites and their addresses
 * @param catalog the address of the catalog
 * @param cache the cache to work on
 * @param localSite the site that is near to this process
 * @param clients the number of clients in the process, each with one operation at a time
 * @param firstClient the number of its first client in the history
 * @param firstValue the process writes values above this one; no other process writes these
 * @param keys the number of keys, named k0 and up
 * @param seed the seed of its choices
 * @param nanosBetween the time from one operation to the next, of all its clients together
 * @param operations the maximum number of operations
 * @param deadlineMillis the deadline of an operation
 * @param history the file for its part of the history
 * @param turns the times at which it writes; null for always
 * @param window the file for writes that the primary alone has acknowledged; null if a majority
 *     acknowledges
 * @param nearStalenessNanos the staleness of the near cache that the clients use; 0 for none
 * @param stamps the file for the stamps of acknowledged writes; null if nothing listens
 */
public record ClientSpec(
    List<SiteDescriptor> sites,
    String catalog,
    String cache,
    @Nullable String localSite,
    int clients,
    long firstClient,
    long firstValue,
    int keys,
    long seed,
    long nanosBetween,
    long operations,
    long deadlineMillis,
    String history,
    @Nullable WriterRotation turns,
    @Nullable String window,
    long nearStalenessNanos,
    @Nullable String stamps) {}
