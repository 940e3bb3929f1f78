/**
 * Enumerates every interleaving of a small scenario on one register, or on one key with a primary
 * copy and leases. A scenario consists of clients, sites, requests in flight and a budget of
 * faults. The explorer drives the production protocol and judges every history as it grows.
 */
@NullMarked
package io.ensemble.explore;

import org.jspecify.annotations.NullMarked;
