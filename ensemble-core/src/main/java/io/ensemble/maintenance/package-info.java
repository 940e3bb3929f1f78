/**
 * Maintenance: under a task's lease a process checks, refills and rebuilds stores, compares sites,
 * updates endpoints and drains sites.
 */
@NullMarked
package io.ensemble.maintenance;

import org.jspecify.annotations.NullMarked;
