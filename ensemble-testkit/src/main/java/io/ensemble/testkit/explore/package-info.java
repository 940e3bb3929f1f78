/**
 * Enumerates every interleaving of a small scenario on one register, or on one key with a primary
 * copy and leases: clients, sites, in-flight requests and a budget of faults. Drives the production
 * protocol, and judges every history as it grows.
 */
@NullMarked
package io.ensemble.testkit.explore;

import org.jspecify.annotations.NullMarked;
