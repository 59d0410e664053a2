package mwlab.net

/** What a selection key of an [EventLoop] is attached to; called on the loop's thread. */
internal interface Selectable {
    fun onSelected()

    fun close()
}
