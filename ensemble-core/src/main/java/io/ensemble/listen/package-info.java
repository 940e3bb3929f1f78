/**
 * Decides what a listener of a cache is shown. Each replica shows which write it has accepted for a
 * key, by an event or in a scan; {@link io.ensemble.listen.ChangeMerger} merges these votes into a
 * stream in which each chosen write is at most once, in the order of its key. {@link
 * io.ensemble.listen.ListenProgress} is the reader's side: the position from which a later stream
 * continues. Pure: no site, thread or clock.
 */
@NullMarked
package io.ensemble.listen;

import org.jspecify.annotations.NullMarked;
