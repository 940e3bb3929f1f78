package io.ensemble;

import java.time.Duration;
import java.util.Optional;

/**
 * What one site says of a key.
 *
 * @param site the site's name
 * @param store the cache's store there; empty if it has none, because the site has lost it
 * @param entry what it holds; empty if it holds nothing, or was not heard
 * @param failure why it was not heard; empty if it was
 * @param took until it had answered, or was given up: opening the store, and one round trip
 */
public record SiteView(
    String site,
    Optional<String> store,
    Optional<EntryView> entry,
    Optional<String> failure,
    Duration took) {}
