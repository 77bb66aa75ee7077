// Decodes each frame of a capture with gopacket's fastest decoder, and does nothing else: the layers
// that it knows of these captures, Ethernet to TCP. Prints frames and layers.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
)

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	r, err := pcapgo.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		panic(err)
	}
	var eth layers.Ethernet
	var llc layers.LLC
	var ip layers.IPv4
	var tcp layers.TCP
	var rest gopacket.Payload
	parser := gopacket.NewDecodingLayerParser(layers.LayerTypeEthernet, &eth, &llc, &ip, &tcp, &rest)
	parser.IgnoreUnsupported = true
	decoded := []gopacket.LayerType{}
	n, layersSeen := 0, 0
	for {
		data, _, err := r.ZeroCopyReadPacketData()
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		_ = parser.DecodeLayers(data, &decoded)
		n++
		layersSeen += len(decoded)
	}
	fmt.Println(n, layersSeen)
}
