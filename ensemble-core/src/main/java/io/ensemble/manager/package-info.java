/**
 * The caches that a manager has open, each once, and the sites, scheduler, clock and engines that
 * they share.
 */
@NullMarked
package io.ensemble.manager;

import org.jspecify.annotations.NullMarked;
