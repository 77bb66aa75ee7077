//! The columns of the rows as RFC 4180 has them.

#[cfg(test)]
mod tests {
    use crate::samples;
    use crate::transactions::{Format, written};
    use wirewait_wire::{Kind, Operation};

    #[test]
    fn all_rows() {
        let text = written(Format::Csv, &samples::all());
        let expected = [
            "protocol,carrier,client,server,conversation,command,function,subfunction,kind,\
             outcome,status,ok,request_first_frame,request_last_frame,response_first_frame,\
             response_last_frame,request_time,turnaround_ns,turnaround_bounds_ns.low,\
             turnaround_bounds_ns.high,response_time_ns,request_transfer_ns,\
             response_transfer_ns,copies,interims,first_interim_ns,data_bytes,request_bytes,\
             response_bytes,frames.request,frames.response,frames.interim,frames.ack,\
             frames.control,frames.retransmitted,hops,flags,chain,service_ns,\
             duplicate_responses,asked_bytes,file_handle,file_offset,dialect,user,\
             share,path,transaction,idempotent,client_address,client_port,server_address,\
             server_port,file,frame_in_file,failed_command",
            "smb1,nbt,10.0.0.9:1025,10.0.0.1:139,3,READ_ANDX,,,read,answered,STATUS_SUCCESS,\
             true,17,18,20,23,2024-02-29T12:34:56.000000000Z,1000000,,,1510000,10000,500000,\
             1,0,,4096,63,4159,2,3,0,1,0,0,,raw,CLOSE,1000000,0,4096,0x4001,8192,,anna,\\\\FS1\\DATA,\\pay\\x1b.xls,12,false,10.0.0.9,1025,10.0.0.1,139,a.pcap,17,",
            "ncp,ipx,00000022.00001b010203:4003,00000001.000000000001:0451,4,UNKNOWN_0x5709,\
             87,9,other,answered,0x000000FE,false,17,18,20,23,\
             2024-02-29T12:34:56.000000000Z,,10000,1000000,1510000,10000,500000,2,1,500000,\
             0,63,4159,2,3,0,1,0,0,2,ambiguous,,,1,4096,,,,,,,13,false,\
             00000022.00001b010203,16387,00000001.000000000001,1105,a.pcap,17,",
            "smb1,nbt,10.0.0.9:1025,10.0.0.1:139,3,READ_ANDX,,,read,unanswered,,,17,18,,,\
             2024-02-29T12:34:56.000000000Z,,,,,10000,,1,0,,0,63,0,1,0,0,0,0,0,,,,,0,4096,,,,,,,14,true,10.0.0.9,1025,10.0.0.1,139,a.pcap,17,",
            "smb1,nbt,10.0.0.9:1025,10.0.0.1:139,3,READ_ANDX,,,read,orphan_response,\
             STATUS_SUCCESS,true,,,20,23,,,,,,,500000,0,0,,4096,0,4159,2,3,0,1,0,0,,\
             mid_capture,CLOSE,1000000,0,4096,0x4001,8192,,anna,\\\\FS1\\DATA,\
             \\pay\\x1b.xls,15,false,10.0.0.9,1025,10.0.0.1,139,a.pcap,17,",
            "",
        ];
        assert_eq!(text, expected.join("\r\n"));
    }

    #[test]
    fn separators_and_quotes_are_quoted() {
        static ODD: Operation = Operation {
            name: "SAY \"HI\", TWICE",
            kind: Kind::Other,
            idempotent: true,
            function: None,
            subfunction: None,
        };
        let mut odd = samples::answered();
        odd.operation = &ODD;
        let text = written(Format::Csv, &[odd]);
        assert!(
            text.contains(",\"SAY \"\"HI\"\", TWICE\",,,read,"),
            "{text}"
        );
    }
}
