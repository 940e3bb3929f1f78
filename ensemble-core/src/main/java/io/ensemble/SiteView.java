package io.ensemble;

import java.time.Duration;
import java.util.Optional;

/**
 * The answer of one site for a key.
 *
 * @param site the site's name
 * @param store the cache's store there; empty if the site has lost it
 * @param entry the entry that the site holds; empty if it holds none, or did not answer
 * @param failure why the site did not answer; empty if it did
 * @param took the time until the answer or the timeout: opening the store, and one round trip
 */
public record SiteView(
    String site,
    Optional<String> store,
    Optional<EntryView> entry,
    Optional<String> failure,
    Duration took) {}
