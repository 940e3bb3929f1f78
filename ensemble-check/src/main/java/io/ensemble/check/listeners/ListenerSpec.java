package io.ensemble.check.listeners;

import io.ensemble.check.federation.SiteDescriptor;
import java.util.List;

/**
 * The order to a listener's process, as one line of JSON on its standard input.
 *
 * @param sites the sites and their addresses
 * @param catalog the address of the catalog
 * @param cache the cache to listen to
 * @param localSite the site that is near to this process
 * @param listener the number of the listener
 * @param firstStream the number of the first stream of this process; no other process uses the
 *     numbers that follow
 * @param lastValues the values above this one are the last ones, one for each key
 * @param keys the number of keys
 * @param notes the file for what it receives
 * @param position the file with its saved position
 * @param isResumed whether it resumes from the saved position; otherwise it begins now
 */
public record ListenerSpec(
    List<SiteDescriptor> sites,
    String catalog,
    String cache,
    String localSite,
    long listener,
    long firstStream,
    long lastValues,
    int keys,
    String notes,
    String position,
    boolean isResumed) {}
