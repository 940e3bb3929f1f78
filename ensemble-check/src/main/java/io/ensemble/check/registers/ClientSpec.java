package io.ensemble.check.registers;

import io.ensemble.check.faults.WriterRotation;
import io.ensemble.check.federation.SiteDescriptor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client process is told to do, as one line of JSON on its standard input.
 *
 * @param sites where the sites are
 * @param catalog where the caches are defined
 * @param cache the cache to work on
 * @param localSite the site that is near to this process
 * @param clients how many clients it is, each with one operation at a time
 * @param firstClient the number of its first client in the history
 * @param firstValue above this are the values that it writes, and nobody else
 * @param keys how many keys there are, k0 and up
 * @param seed of its choices
 * @param nanosBetween how long from one operation to the next, of all its clients together
 * @param operations how many operations it does at most
 * @param deadlineMillis how long an operation may take
 * @param history the file for its part of the history
 * @param turns when it writes; null for always
 * @param window the file for what the primary alone has acknowledged; null where a majority does
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
    @Nullable String window) {}
