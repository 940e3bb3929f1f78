/**
 * Reconfiguration: a cache comes to other sites, another mode or new stores, or goes on without a
 * site that is lost.
 */
@NullMarked
package io.ensemble.reconfiguration;

import org.jspecify.annotations.NullMarked;
