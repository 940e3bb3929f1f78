package io.ensemble.membership;

import io.ensemble.site.StoreStatistics;
import java.time.Duration;

/**
 * The load of one replica of a cache.
 *
 * @param roundTrip the time from the request for the statistics to their arrival in this process
 * @param statistics from all clients, as its node reports them
 */
public record ReplicaLoad(Duration roundTrip, StoreStatistics statistics) {}
